import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { describe, it } from "node:test";
import { signedApplyUrl } from "./domain-connect.ts";
import { publicKeyTexts, readSigningKey } from "./signing-key.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const ID = { providerId: "slipway.example", serviceId: "custom-domain" };
const PARAMETERS = {
  state: "s+t/a=t e",
  domain: "example.com",
  redirect_uri: "https://slipway.example/back?a=(b)&c='d'",
  host: "www",
};

describe("a signed address", () => {
  const signed = signedApplyUrl("https://dns.example/ui", ID, PARAMETERS, {
    key: privateKey,
    keyHost: "_k1",
  });
  const [address = "", query = ""] = signed.split("?");
  const [text = "", rest = ""] = query.split("&sig=");
  const [signature = "", key = ""] = rest.split("&key=");

  /** As a provider does, by what is published. */
  const accepts = (given: string, sig: string): boolean => {
    const parts = publicKeyTexts(privateKey).map((one) => /^p=(\d+),a=RS256,d=(.+)$/.exec(one));
    const sorted = parts.toSorted((one, other) => Number(one?.[1]) - Number(other?.[1]));
    const der = Buffer.from(sorted.map((part) => part?.[2] ?? "").join(""), "base64");
    const published = createPublicKey({ key: der, format: "der", type: "spki" });
    return verify("RSA-SHA256", Buffer.from(given), published, Buffer.from(sig, "base64"));
  };

  it("names the provider's page, the template and the key", () => {
    const path = "/v2/domainTemplates/providers/slipway.example/services/custom-domain/apply";
    assert.equal(address, `https://dns.example/ui${path}`);
    assert.equal(key, "_k1");
  });

  it("has the parameters in the order of their names, encoded by RFC 3986", () => {
    assert.equal(
      text,
      "domain=example.com&host=www&redirect_uri=https%3A%2F%2Fslipway.example%2Fback%3Fa%3D%28b%29%26c%3D%27d%27&state=s%2Bt%2Fa%3Dt%20e",
    );
  });

  it("is signed over the very query, and not over another", () => {
    const sig = decodeURIComponent(signature);
    assert.ok(accepts(text, sig));
    assert.ok(!accepts(text.replace("host=www", "host=wwx"), sig));
    const bytes = Buffer.from(sig, "base64");
    bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
    assert.ok(!accepts(text, bytes.toString("base64")));
  });
});

describe("a signing key", () => {
  it("is published in texts that fit into a string of a TXT record", () => {
    const texts = publicKeyTexts(privateKey);
    assert.ok(texts.length > 1);
    for (const text of texts) assert.ok(Buffer.byteLength(text) <= 255);
  });

  it("is an RSA key of 2,048 bits at least", () => {
    const pem = (key: typeof privateKey) => key.export({ type: "pkcs8", format: "pem" }).toString();
    assert.equal(readSigningKey(pem(privateKey)).asymmetricKeyType, "rsa");
    const short = generateKeyPairSync("rsa", { modulusLength: 1_024 }).privateKey;
    const other = generateKeyPairSync("ed25519").privateKey;
    for (const refused of [pem(short), pem(other), "no key"])
      assert.throws(() => readSigningKey(refused), RangeError);
  });
});
