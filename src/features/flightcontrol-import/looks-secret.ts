/**
 * Whether a plain text looks like a secret, by its form or by its name. A text that is taken for one is only left out
 * of the proposal, so doubts count as a secret. Pure.
 */

/** Forms that providers of tokens document, keys in PEM, and JSON Web Tokens. */
const TOKENS: readonly RegExp[] = [
  /\b(?:sk|rk|pk|sess)[_-](?:live|test|proj|ant|or)[_-][\w-]{8,}/i,
  /\bsk-[A-Za-z0-9]{16,}/,
  /\b(?:gh[pousr]_|github_pat_|glpat-|gloas-)\w{12,}/,
  /\bxox[abeprs]-[\w-]{8,}/,
  /\b(?:AKIA|ASIA|AROA)[A-Z0-9]{12,}/,
  /\bAIza[\w-]{20,}/,
  /\bSG\.[\w-]{12,100}\.[\w-]{12,}/,
  /\b(?:npm_|dop_v1_|shp(?:at|ss|ca)_|whsec_|hf_|pat-na1-|lin_api_)[\w-]{16,}|\bkey-[0-9a-f]{32}/,
  /\beyJ[\w-]{8,2000}\.[\w-]{8,}/,
  /-----BEGIN [A-Z ]*(?:PRIVATE KEY|CERTIFICATE)/,
];

/** `scheme://user:password@host`, also without a user; a password that is a variable is none. Bounded, for long texts. */
const PASSWORD_IN_URL = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]{0,256}:(?!\$)[^\s@]{1,1024}@/i;

/** What a command logs in with: a header of any scheme, or a user with a password. */
const LOGINS: readonly RegExp[] = [
  /\bAuthorization["']?:\s*["']?(?:\w+ +)?(?!\$|\w+ +\$)[^\s"'$]{4,}/i,
  /\b(?:curl|wget|https?)\b[^|;&\n]{0,1000}\s(?:-u|--user)[ =]?["']?[^\s:"'$-]{1,256}:(?!\$)[^\s"']/i,
];

const SECRET_NAME =
  /SECRET|PASSW|PASSPHRASE|CREDENTIAL|TOKEN|(?:^|_)(?:PASS|PWD|SALT|PEPPER|DSN|PIN|AUTH|KEYS?)$|(?:API|PRIVATE|ACCESS|SIGNING|ENCRYPTION|MASTER|LICEN[CS]E|ADMIN|SERVICE|ROLE)_?KEY/i;
/** Such a name is about a secret, and is none. */
const ABOUT_A_SECRET =
  /_(?:URL|URI|ENDPOINT|HOST|TTL|EXPIRY|EXPIRES(?:_IN)?|EXPIRATION|LIFETIME|MAX_AGE|AGE|SECONDS|MINUTES|HOURS|DAYS|LENGTH|SIZE|COUNT|LIMIT|ENABLED|DISABLED|REQUIRED|NAME|ID|PATH|FILE|ALGORITHM|ALG|HEADER|ISSUER|AUDIENCE|TYPE|PREFIX|REGION|VERSION)$/i;
const PUBLIC_NAME = /PUBLISHABLE|PUBLIC_KEY|(?:^|_)PUBLIC_/i;
const NOT_A_SECRET = /^(?:|true|false|yes|no|on|off|none|null|undefined|\d{1,3})$/i;

/** A part of a longer text, such as a command, that looks like a secret. */
export function containsSecret(text: string): boolean {
  return hasSecretForm(text) || hasSecretAssignment(text);
}

/** A plain value. */
export function looksSecret(name: string, value: string): boolean {
  const text = value.trim();
  if (NOT_A_SECRET.test(text)) return false;
  if (containsSecret(text)) return true;
  if (SECRET_NAME.test(name) && !ABOUT_A_SECRET.test(name) && !PUBLIC_NAME.test(name)) return true;
  return isRandom(text) && !PUBLIC_NAME.test(name) && !/_ID$/i.test(name);
}

function hasSecretForm(text: string): boolean {
  return PASSWORD_IN_URL.test(text) || [...TOKENS, ...LOGINS].some((form) => form.test(text));
}

/** `PASSWORD=hunter2`, `--token abc`, `X-Api-Key: abc`: not if the value is a variable. */
function hasSecretAssignment(text: string): boolean {
  // The value is only looked at: it may be the next name.
  const assignments = text.matchAll(
    /(?<![\w-])(?<dashes>-{0,2})(?<name>[A-Za-z_][\w-]*)(?<sign>=|["']?:\s*["']|["']?:\s|\s+)(?=["']?(?<value>[^\s"'$;&|]+))/g,
  );
  for (const { groups } of assignments) {
    const { dashes, name = "", sign, value = "" } = groups ?? {};
    if (dashes !== "--" && sign?.trim() === "") continue;
    const plain = name.replaceAll("-", "_");
    const isNamed = SECRET_NAME.test(plain) && !ABOUT_A_SECRET.test(plain);
    if (isNamed && !value.startsWith("-") && !NOT_A_SECRET.test(value)) return true;
  }
  return false;
}

/** One word of at least 24 characters with letters and digits, in which few characters repeat. */
function isRandom(text: string): boolean {
  if (!/^[A-Za-z0-9+/=_-]{24,}$/.test(text) || !/\d/.test(text) || !/[A-Za-z]/.test(text)) return false;
  // Ids in the form of a UUID name things; words with dashes are names.
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return false;
  if (/^[a-z]+(?:[-_/][a-z0-9]+)+$/.test(text)) return false;
  const counts = new Map<string, number>();
  for (const one of text) counts.set(one, (counts.get(one) ?? 0) + 1);
  const bits = [...counts.values()].reduce((sum, count) => {
    const share = count / text.length;
    return sum - share * Math.log2(share);
  }, 0);
  return bits >= 3;
}
