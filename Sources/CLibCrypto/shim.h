#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

// What Swift cannot call: arrays of parameters that point to each other.

// A context with the key in it, to be copied for each text; null where there is no memory.
static inline EVP_MAC_CTX *strata_hmac_sha512(const unsigned char *key, size_t count) {
  char digest[] = "SHA512";
  OSSL_PARAM parameters[] = {
    OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
    OSSL_PARAM_construct_end(),
  };
  EVP_MAC *algorithm = EVP_MAC_fetch((OSSL_LIB_CTX *)0, "HMAC", (const char *)0);
  EVP_MAC_CTX *context = algorithm ? EVP_MAC_CTX_new(algorithm) : (EVP_MAC_CTX *)0;
  EVP_MAC_free(algorithm);
  if (context && EVP_MAC_init(context, key, count, parameters)) return context;
  EVP_MAC_CTX_free(context);
  return (EVP_MAC_CTX *)0;
}
