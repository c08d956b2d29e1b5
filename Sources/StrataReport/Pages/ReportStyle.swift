/// The style of the report's pages.
enum ReportStyle {
  static let text = #"""
    :root{--bg:#f4f6fa;--card:#fff;--ink:#14213a;--soft:#4f5d73;--line:#d5dce7;--head:#e8edf5;--accent:#3c4fc4;
    --edge:#8a99b0;--added:#0b6b34;--added-bg:#dcf5e4;--removed:#a3221b;--removed-bg:#fbe3e1;--changed:#7a4b00;
    --changed-bg:#fdf0cc;--covered:#1c4f9c;--covered-bg:#dfebfc;--accepted:#6a2f9e;--accepted-bg:#efe3fa;
    --bar-added:#2fa866;--bar-removed:#dc5f57;--bar-changed:#e0a82e;--shadow:0 1px 2px #14213a14,0 6px 20px #14213a0d}
    :root[data-theme=dark]{--bg:#0d121d;--card:#161d2c;--ink:#e7ecf6;--soft:#a3b0c6;--line:#2b364b;--head:#212b40;
    --accent:#9fadff;--edge:#6f7f9b;--added:#7fdca4;--added-bg:#12352a;--removed:#ff9d96;--removed-bg:#431f21;
    --changed:#f3cc74;--changed-bg:#3b2f14;--covered:#9cc3ff;--covered-bg:#182d50;--accepted:#d7b3f7;
    --accepted-bg:#35204a;--shadow:0 1px 2px #0006,0 6px 20px #0004}
    @media(prefers-color-scheme:dark){:root:not([data-theme=light]){--bg:#0d121d;--card:#161d2c;--ink:#e7ecf6;
    --soft:#a3b0c6;--line:#2b364b;--head:#212b40;--accent:#9fadff;--edge:#6f7f9b;--added:#7fdca4;--added-bg:#12352a;
    --removed:#ff9d96;--removed-bg:#431f21;--changed:#f3cc74;--changed-bg:#3b2f14;--covered:#9cc3ff;
    --covered-bg:#182d50;--accepted:#d7b3f7;--accepted-bg:#35204a;--shadow:0 1px 2px #0006,0 6px 20px #0004}}
    *{box-sizing:border-box}
    html{scroll-padding-top:72px}
    body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
    a{color:var(--accent)}
    :focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:4px}
    .hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap;margin:0}
    .skip{position:absolute;left:-999px}.skip:focus{left:8px;top:8px;background:var(--card);padding:8px;z-index:9}
    .bar{position:sticky;top:0;z-index:5;display:flex;flex-wrap:wrap;gap:8px 20px;align-items:center;padding:10px 24px;
    background:var(--card);border-bottom:1px solid var(--line)}
    .home{display:flex;gap:10px;align-items:center;font-weight:650;text-decoration:none;color:var(--ink);min-width:0;
    overflow-wrap:anywhere}
    .steps{display:flex;gap:6px;align-items:center}.steps a,.steps .off,.legend button,.tools button,select,input{
    font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:8px;padding:4px 10px;
    text-decoration:none}.steps .off{opacity:.35}
    .tools{margin-inline-start:auto;display:flex;gap:8px}.tools input{width:min(280px,46vw)}
    button{cursor:pointer}button:hover,.steps a:hover{border-color:var(--accent)}
    main{max-width:1320px;margin:0 auto;padding:0 24px 48px}
    section{margin-top:36px}h1{font-size:34px;line-height:1.15;margin:0;letter-spacing:-.02em;overflow-wrap:anywhere}
    h2{font-size:20px;margin:0 0 12px}h3{font-size:15px;margin:14px 0 6px;overflow-wrap:anywhere}
    .title{display:flex;gap:16px;align-items:baseline;flex-wrap:wrap}
    .hero{padding-top:8px}.when{color:var(--soft);margin:6px 0}
    .facts{display:flex;flex-wrap:wrap;gap:12px;margin:18px 0}.fact{display:flex;flex-direction:column;background:
    var(--card);border:1px solid var(--line);border-radius:12px;padding:12px 18px;min-width:112px;box-shadow:var(--shadow)}
    .fact dd{margin:0;font-size:26px;font-weight:650;letter-spacing:-.02em}.fact dt{color:var(--soft);font-size:13px}
    .chip{display:inline-block;border-radius:99px;padding:1px 10px;font-size:12.5px;font-weight:550;white-space:nowrap;
    background:var(--head);color:var(--ink)}.verdicts{display:flex;flex-wrap:wrap;gap:8px;align-items:center}
    .chip.automatic{background:var(--added-bg);color:var(--added)}.chip.covered,.chip.info,.chip.verified{
    background:var(--covered-bg);color:var(--covered)}.chip.accepted{background:var(--accepted-bg);color:var(--accepted)}.chip.open,.chip.error{
    background:var(--removed-bg);color:var(--removed)}.chip.warning{background:var(--changed-bg);color:var(--changed)}
    .count{font-weight:650;font-variant-numeric:tabular-nums;margin-inline-end:8px;color:var(--soft)}
    .count.added{color:var(--added)}.count.removed{color:var(--removed)}.count.changed{color:var(--changed)}
    .tag{font-size:12px;border:1px solid var(--line);border-radius:6px;padding:0 7px;margin-inline-start:6px;
    color:var(--soft)}.tag.work{border-color:var(--changed);color:var(--changed)}
    .canvas{background:var(--card);border:1px solid var(--line);border-radius:14px;overflow:auto;max-height:76vh;
    box-shadow:var(--shadow);background-image:radial-gradient(var(--line) 1px,transparent 1px);background-size:22px 22px}
    .canvas.live{overflow:hidden;height:min(72vh,var(--tall,720px));touch-action:none;cursor:grab}
    .canvas.live svg{width:100%;height:100%;display:block}.canvas.drag{cursor:grabbing}
    .canvas:fullscreen{max-height:none;height:100vh;border-radius:0}
    .diagram .card{fill:var(--card);stroke:var(--line)}.diagram .head{fill:var(--head)}.diagram text{fill:var(--ink)}
    .diagram .type,.diagram .badge{fill:var(--soft)}.diagram .line{stroke:var(--edge)}.diagram .end{stroke:var(--edge)}
    .diagram .ring{fill:var(--card)}.diagram .diamond{fill:var(--edge)}.diagram .link .type{fill:var(--accent)}
    .diagram .inverse text{font-style:italic}.diagram .enum .type{fill:var(--accepted)}
    .diagram .embedded .card{stroke-dasharray:none;stroke:var(--edge)}.diagram .abstract .card{stroke-dasharray:5 4}
    .diagram .extends .line{stroke-dasharray:6 4}.diagram .owning .line{stroke-width:2}
    .diagram .model.added .card{stroke:var(--bar-added);stroke-width:2}.diagram .model.added .head{fill:var(--added-bg)}
    .diagram .model.changed .card{stroke:var(--bar-changed);stroke-width:2}
    .diagram .model.changed .head{fill:var(--changed-bg)}
    .diagram .row.added .mark{fill:var(--added-bg)}.diagram .row.changed .mark{fill:var(--changed-bg)}
    .diagram a{cursor:pointer}.diagram a:hover .name,.diagram a:focus-visible .name{text-decoration:underline}
    .diagram a:focus-visible{outline:none}.diagram a:focus-visible .head{stroke:var(--accent);stroke-width:3}
    .diagram.dim .model,.diagram.dim .edge{opacity:.13;transition:opacity .15s}.diagram.dim .near{opacity:1}
    .diagram.dim .edge.near .line{stroke:var(--accent);stroke-width:2.2}.diagram .edge:hover .line{stroke:var(--accent);
    stroke-width:2.6}.diagram .hit .card{stroke:var(--accent);stroke-width:3}
    .diagram.far .row,.diagram.far .badge{display:none}.diagram.far .head{fill:transparent}
    .diagram.far .model.added .card{fill:var(--added-bg)}.diagram.far .model.changed .card{fill:var(--changed-bg)}
    .diagram.far .card{fill:var(--head)}
    .legend{display:flex;flex-wrap:wrap;gap:6px 18px;align-items:center;font-size:13px;color:var(--soft);margin-top:10px}
    .legend .key{font-style:normal}.legend .line{display:inline-block;width:22px;border-top:1.5px solid var(--edge);
    vertical-align:middle}.legend .own{border-top-width:3px}.legend .zoom{margin-inline-start:auto;display:flex;gap:6px;
    flex-wrap:wrap}.marks{font-size:13px;color:var(--soft)}.marks .mark{display:inline-block;width:12px;height:12px;
    border-radius:3px;margin-inline-start:10px;vertical-align:-1px}.marks .added{background:var(--bar-added)}
    .marks .changed{background:var(--bar-changed)}
    .end-key{vertical-align:-2px;fill:none;stroke:var(--edge);stroke-width:1.4}
    .chart{width:fit-content;max-width:100%;overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:14px;padding:14px 16px 8px;
    box-shadow:var(--shadow)}.chart svg{display:block;min-width:0}.chart .added{fill:var(--bar-added)}
    .chart .removed{fill:var(--bar-removed)}.chart .changed{fill:var(--bar-changed)}.chart .base{fill:var(--line)}
    .chart a:hover .slot,.chart a:focus .slot{fill:var(--head)}.chart a{outline-offset:-2px}
    .timeline{list-style:none;margin:22px 0 0;padding:0}.entry{display:flex;gap:18px;position:relative;padding:0 0 18px}
    .entry::before{content:"";position:absolute;inset-inline-start:22px;top:34px;bottom:-8px;width:2px;
    background:var(--line)}.entry:last-child::before{display:none}
    .number{flex:none;min-width:46px;height:32px;padding:0 8px;border-radius:99px;display:grid;place-items:center;
    font-weight:650;text-decoration:none;background:var(--head);color:var(--ink);font-variant-numeric:tabular-nums;
    z-index:1}.entry.open .number{background:var(--removed-bg);color:var(--removed)}
    .entry.covered .number,.entry.verified .number{background:var(--covered-bg);color:var(--covered)}
    .entry.accepted .number{background:var(--accepted-bg);color:var(--accepted)}
    .entry.automatic .number{background:var(--added-bg);color:var(--added)}.number:hover{text-decoration:underline}
    .what{min-width:0;padding-top:4px}.date{color:var(--soft);margin-inline-end:12px;font-variant-numeric:tabular-nums}
    .what ul{list-style:none;margin:2px 0 0;padding:0}.what li{overflow-wrap:anywhere}.what li::before{display:inline-block;
    width:1.2em;font-weight:700;content:"~";color:var(--changed)}.what li.added::before{content:"+";color:var(--added)}
    .what li.removed::before{content:"−";color:var(--removed)}.what li.more{color:var(--soft)}
    .what li.more::before{content:""}
    .cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,400px),1fr));gap:14px}
    .card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:4px 18px 12px;min-width:0;
    box-shadow:var(--shadow)}.changes{list-style:none;margin:0;padding:0}.changes>li{display:flex;gap:10px;padding:6px 0;
    border-top:1px solid var(--line);overflow-wrap:anywhere}.changes>li>div{min-width:0}.changes>li:first-child{border:0}
    .sign{font-weight:750;width:1em;flex:none;text-align:center;color:var(--changed)}.added>.sign{color:var(--added)}
    .removed>.sign{color:var(--removed)}.rule{font-size:12px;color:var(--soft)}
    .because{color:var(--accepted);font-style:italic;overflow-wrap:anywhere}.evidence{color:var(--soft);font-size:13.5px}
    pre{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px 16px;overflow:auto;
    max-height:70vh;margin:6px 0;font:13px/1.55 ui-monospace,"SF Mono",Menlo,Consolas,monospace;tab-size:2}
    code{font-family:ui-monospace,"SF Mono",Menlo,Consolas,monospace;font-size:.92em}pre code{font-size:inherit}
    pre b{color:var(--accent);font-weight:600}pre i{font-style:normal}pre .s{color:var(--added)}pre .n{color:
    var(--accepted)}pre .c{color:var(--soft);font-style:italic}pre .l{display:inline-block;min-width:100%;
    text-decoration:none}pre del{background:var(--removed-bg);color:var(--removed)}pre ins{background:var(--added-bg);
    color:var(--added)}pre del *,pre ins *,pre del .s,pre ins .s,pre del .c,pre ins .c{color:inherit}.skip-lines{color:var(--soft)}
    details.source{margin-top:10px}summary{cursor:pointer;padding:6px 0}
    .findings{list-style:none;margin:0;padding:0}.findings>li{background:var(--card);border:1px solid var(--line);
    border-radius:12px;padding:10px 16px;margin-bottom:8px;overflow-wrap:anywhere}.place,.help{color:var(--soft);
    font-size:13.5px}.good{color:var(--added)}
    .tables{display:grid;gap:8px}details.model{background:var(--card);border:1px solid var(--line);border-radius:12px;
    padding:2px 16px;min-width:0}details.model[open]{padding-bottom:14px}details.model .name{font-weight:600;
    overflow-wrap:anywhere}details.model:target{border-color:var(--accent)}details p{margin:4px 0}.doc{color:var(--soft);
    overflow-wrap:anywhere}summary .count{margin-inline-start:8px}
    .scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:14px;margin-top:6px}th,td{text-align:start;
    padding:5px 14px 5px 0;border-top:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere;max-width:34em}
    thead th{color:var(--soft);font-weight:550;border:0}tbody th{font-weight:550}
    footer{color:var(--soft);font-size:13px;text-align:center;padding:0 24px 32px}
    .gone{display:none!important}
    @media(max-width:640px){.bar{padding:8px 14px;position:static}main{padding:0 14px 32px}h1{font-size:26px}
    .facts{gap:8px}.fact{flex:1 1 28%;min-width:0;padding:8px 12px}.fact dd{font-size:20px}.tools{width:100%}
    .tools input{flex:1;width:auto;min-width:0}.legend .zoom{margin:0}.entry{gap:10px}}
    @media(prefers-reduced-motion:reduce){*{transition:none!important;scroll-behavior:auto!important}}
    @media print{.bar,.legend .zoom,.skip{display:none}.canvas{max-height:none;overflow:visible;border:0}
    .canvas svg{width:100%;height:auto}section{break-inside:avoid}}
    """#
}
