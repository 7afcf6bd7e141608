import assert from "node:assert/strict";
import { isIP } from "node:net";
import { describe, it } from "node:test";
import { readDomainName } from "../../src/features/custom-domains/domain-name.ts";
import { parseServer } from "../../src/dns/wire/servers.ts";
import { parseJsonBody } from "../../src/lib/json/json-body.ts";
import { addressRefusal, parseAllowedHosts } from "../../src/egress/address-rules.ts";
import { GitError } from "../../src/git/git.ts";
import { makeGuardedClient } from "../../src/git/http-client.ts";
import { parseGitHost, parseRepositoryUrl, RepositoryUrlError } from "../../src/git/repository-url.ts";
import { isTreePath } from "../../src/git/git.ts";
import { hasValidChecksum } from "../../src/lib/api-key.ts";
import { findNameFault, findValueFault } from "../../src/features/variables/body.ts";
import { insideAddresses } from "./inside-addresses.ts";

const URL_FORMS: readonly ((host: string) => string)[] = [
  (host) => `https://${host}/owner/name`,
  (host) => `https://${host}:8443/owner/name.git`,
  (host) => `https://github.com@${host}/owner/name`,
  (host) => `https://github.com:443@${host}/owner/name`,
  (host) => `ssh://git@${host}/owner/name`,
  (host) => `git@${host}:owner/name.git`,
];

/** The host that would be connected to, or why there is none. */
function readHost(url: string): string | RepositoryUrlError {
  try {
    return parseRepositoryUrl(url).host;
  } catch (error) {
    if (error instanceof RepositoryUrlError) return error;
    throw error;
  }
}

describe("an address inside the network", () => {
  for (const { way, host } of insideAddresses()) {
    it(`is refused: ${way}`, () => {
      for (const form of URL_FORMS) {
        const read = readHost(form(host));
        if (read instanceof RepositoryUrlError) continue;
        const address = read.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
        assert.notEqual(isIP(address), 0, `${form(host)} is taken for the name ${address}`);
        assert.notEqual(addressRefusal(address), null, `${form(host)} would be dialled at ${address}`);
      }
    });
  }

  it("is never connected to in five hundred tries if a name also resolves to public ones", async () => {
    let looks = 0;
    const fetch = makeGuardedClient({
      allowedHosts: parseAllowedHosts([]),
      // A name that changes its answer each time. It is asked for once a request, so that what was judged
      // is what would be dialled.
      resolve: async () => {
        looks += 1;
        const inside = { address: looks % 2 === 0 ? "127.0.0.1" : "169.254.169.254", family: 4 };
        return looks % 3 === 0 ? [inside] : [{ address: "8.8.8.8", family: 4 }, inside];
      },
    });
    const request = {
      method: "GET",
      url: new URL("https://rebind.example.com/"),
      headers: {},
      expects: "file",
    } as const;
    for (let tries = 1; tries <= 500; tries += 1) {
      await assert.rejects(
        fetch(request),
        (error: unknown) => error instanceof GitError && error.code === "HOST_REFUSED",
      );
      assert.equal(looks, tries);
    }
  });
});

const HOSTILE_REPOSITORIES: readonly string[] = [
  "--upload-pack=touch /tmp/pwned",
  "-u./payload",
  "--config=core.sshCommand=id",
  "ext::sh -c id",
  "EXT::sh%20-c%20id",
  "Ext::https://github.com/owner/name",
  "fd::17/owner",
  "file:///etc/passwd",
  "FILE:///etc/passwd",
  "/etc/passwd",
  "../../../etc/passwd",
  "./name",
  "C:\\Windows\\win.ini",
  "\\\\server\\share",
  "git://github.com/owner/name",
  "git+ssh://git@github.com/owner/name",
  "ssh+git://git@github.com/owner/name",
  "http://github.com/owner/name",
  "HTTP://github.com/owner/name",
  "ftp://github.com/owner/name",
  "gopher://127.0.0.1:6379/_FLUSHALL",
  "dict://127.0.0.1:11211/stats",
  "ldap://127.0.0.1/",
  "jar:https://github.com!/owner",
  "data:text/plain,owner/name",
  "javascript:alert(1)",
  "blob:https://github.com/owner/name",
  "//github.com/owner/name",
  "https:/github.com/owner/name",
  "https:github.com/owner/name",
  "https:///owner/name",
  "https://",
  "https://github.com",
  "https://github.com/",
  "https://github.com//",
  "https://github.com/owner/../../etc",
  "https://github.com/owner/./name",
  "https://github.com/owner/%2e%2e/name",
  "https://github.com/owner/%2fetc",
  "https://github.com/owner/name%00",
  "https://github.com/owner/name%0d%0aHost:%20127.0.0.1",
  "https://github.com/owner/name?service=git-upload-pack",
  "https://github.com/owner/name#fragment",
  "https://github.com\\@127.0.0.1/owner/name",
  "https://github.com\t@127.0.0.1/owner/name",
  "https://github.com\r\nHost: 127.0.0.1/owner/name",
  "https://github.com/owner/name\r\nX-Injected: 1",
  "https://github.com/owner/name\u0000.git",
  "https://github.com/owner/na\u202eme",
  "https://github.com/owner/na\u200bme",
  "https://git\u00adhub.com/owner/name",
  "https://github.com\u2028/owner/name",
  "https://github.com:0/owner/name",
  "https://github.com:99999/owner/name",
  "https://github.com:-1/owner/name",
  "https://github.com:80a/owner/name",
  "https://-github.com/owner/name",
  "https://github-.com/owner/name",
  "https://git_hub.com/owner/name",
  "https://git hub.com/owner/name",
  "https://[::1/owner/name",
  "https://::1/owner/name",
  "https://[::1]]/owner/name",
  "https://127.0.0.1.1/owner/name",
  "https://256.0.0.1/owner/name",
  "https://1.2.3.4.5/owner/name",
  "https://0x100000000/owner/name",
  "https://4294967296/owner/name",
  "https://*/owner/name",
  "https://$(id)/owner/name",
  "https://`id`/owner/name",
  "https://github.com/owner/$(id)",
  "https://github.com/owner/`id`",
  "https://github.com/owner/name;id",
  "https://github.com/owner/name|id",
  "https://github.com/owner/name&id",
  "https://github.com/owner/'name'",
  'https://github.com/owner/"name"',
  "https://github.com/-owner/name",
  "https://github.com/owner/-name",
  "https://github.com/owner/name.git.git",
  "git@github.com:-oProxyCommand=id/name",
  "git@-oProxyCommand=id:owner/name",
  "-oProxyCommand=id@github.com:owner/name",
  "git@github.com::owner/name",
  "git@github.com:/owner/name",
  "git@github.com:../name",
  "ssh://-oProxyCommand=id/owner/name",
  "ssh://git@-oProxyCommand=id/owner/name",
  "ssh://git@github.com:22a/owner/name",
  "git@[::1:owner/name",
  "",
  " ",
  "-",
  "\u0000",
  "https://".repeat(300),
  "a".repeat(100_000),
];

describe("a hostile repository address", () => {
  for (const url of HOSTILE_REPOSITORIES) {
    it(`is refused: ${JSON.stringify(url.slice(0, 60))}`, () => {
      const read = readHost(url);
      assert.ok(read instanceof RepositoryUrlError, `it was read as ${String(read)}`);
      assert.match(read.message, /\.$/);
    });
  }
});

/** Shapes that make patterns with nested or neighbouring repetitions try everything. */
const SLOW_SHAPES: readonly ((length: number) => string)[] = [
  (length) => "a".repeat(length),
  (length) => `${"a".repeat(length)}!`,
  (length) => "a-".repeat(length / 2),
  (length) => `${"-".repeat(length)}a`,
  (length) => ".".repeat(length),
  (length) => "a.".repeat(length / 2),
  (length) => `/${"a/".repeat(length / 2)}!`,
  (length) => `arn:aws:ssm:us-west-2:123456789012:parameter/${"a/".repeat(length / 2)}`,
  (length) => `arn:aws${"-a".repeat(length / 2)}`,
  (length) => `arn:aws:secretsmanager:us-west-2:123456789012:secret:${":a".repeat(length / 2)}`,
  (length) => `https://${"a.".repeat(length / 2)}/b`,
  (length) => `https://${"a@".repeat(length / 2)}`,
  (length) => `https://host/${"a/".repeat(length / 2)}`,
  (length) => `${"a".repeat(length / 2)}@${"b".repeat(length / 2)}`,
  (length) => " ".repeat(length),
  (length) => "1".repeat(length),
  (length) => "[".repeat(length),
  (length) => "\u0131".repeat(length / 2),
  (length) => "xn--".repeat(length / 4),
  (length) => "*.".repeat(length / 2),
];

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  "a repository address": readHost,
  "a git host": (text) => orError(() => parseGitHost(text)),
  "a path in a repository": isTreePath,
  "a domain name": readDomainName,
  "the name of a variable": findNameFault,
  "a parameter's reference": (text) => findValueFault("fromParameterStore", text),
  "a secret's reference": (text) => findValueFault("fromSecretsManager", text),
  "an API key": hasValidChecksum,
  "an address": addressRefusal,
  "a host that an operator allows": (text) => orError(() => parseAllowedHosts([text])),
  "a DNS server": (text) => orError(() => parseServer(text)),
  "a body": (text) => orError(() => parseJsonBody(Buffer.from(text))),
  "a body that is one string": (text) => orError(() => parseJsonBody(Buffer.from(JSON.stringify(text)))),
};

function orError(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    // A refusal is as good an answer as any; the test is about time.
    return error;
  }
}

describe("a text of 100,000 characters", () => {
  for (const [what, read] of Object.entries(READERS)) {
    it(`is read in linear time as ${what}`, () => {
      for (const [index, shape] of SLOW_SHAPES.entries()) {
        const text = shape(100_000);
        // The best of some tries, in processor time: the work counts, not who else uses the processor.
        let bestMs = Number.POSITIVE_INFINITY;
        for (let tries = 0; tries < 5 && bestMs > 10; tries += 1) {
          const before = process.threadCpuUsage();
          read(text);
          const { user, system } = process.threadCpuUsage(before);
          bestMs = Math.min(bestMs, (user + system) / 1_000);
        }
        assert.ok(bestMs <= 10, `shape ${index} takes ${bestMs.toFixed(1)} ms`);
      }
    });
  }
});
