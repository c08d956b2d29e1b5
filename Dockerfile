# The strata command in an image: docker build -t strata . && docker run --rm -v "$PWD:/project" strata check
FROM swift:6.2-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends libyaml-dev libsqlite3-dev libssl-dev pkg-config \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /strata
COPY . .
RUN swift build -c release --product strata --static-swift-stdlib \
  && cp "$(swift build -c release --show-bin-path)/strata" /usr/local/bin/strata

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libyaml-0-2 libsqlite3-0 libssl3 libstdc++6 git ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && git config --system --add safe.directory '*'
COPY --from=build /usr/local/bin/strata /usr/local/bin/strata
WORKDIR /project
ENTRYPOINT ["strata"]
CMD ["--help"]
