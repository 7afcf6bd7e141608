import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  identifyRepository,
  parseGitHost,
  parseRepositoryUrl,
  RepositoryUrlError,
  type RepositoryUrlFault,
} from "./repository-url.ts";

const ACCEPTED: readonly (readonly [text: string, normalizedUrl: string])[] = [
  ["https://github.com/owner/name", "https://github.com/owner/name"],
  ["https://github.com/owner/name.git", "https://github.com/owner/name"],
  ["https://github.com/owner/name/", "https://github.com/owner/name"],
  ["https://github.com/owner/name.git/", "https://github.com/owner/name"],
  ["HTTPS://GitHub.COM/Owner/Name", "https://github.com/Owner/Name"],
  ["https://github.com:443/owner/name", "https://github.com/owner/name"],
  ["https://github.com./owner/name", "https://github.com/owner/name"],
  ["https://user@github.com/owner/name", "https://github.com/owner/name"],
  ["https://user:secret@github.com/owner/name", "https://github.com/owner/name"],
  ["https://user:p@ss@github.com/owner/name", "https://github.com/owner/name"],
  ["https://github.com@evil.example/owner/name", "https://evil.example/owner/name"],
  ["https://gitlab.com/group/sub/project.git", "https://gitlab.com/group/sub/project"],
  ["https://gitlab.example.com:8443/group/project", "https://gitlab.example.com:8443/group/project"],
  ["https://bücher.example/owner/name", "https://xn--bcher-kva.example/owner/name"],
  ["https://BÜCHER.example/owner/name", "https://xn--bcher-kva.example/owner/name"],
  ["https://xn--bcher-kva.example/owner/name", "https://xn--bcher-kva.example/owner/name"],
  ["https://ｇithub.com/owner/name", "https://github.com/owner/name"],
  ["https://git.sandbox.test/demo.git", "https://git.sandbox.test/demo"],
  ["https://host/owner/name.with.dots", "https://host/owner/name.with.dots"],
  ["https://host/owner/.github", "https://host/owner/.github"],
  ["https://host/~user/name", "https://host/~user/name"],
  ["git@github.com:owner/name.git", "https://github.com/owner/name"],
  ["git@github.com:owner/name", "https://github.com/owner/name"],
  ["git@GitLab.com:group/sub/project.git", "https://gitlab.com/group/sub/project"],
  ["deploy@gitlab.example.com:group/project.git", "https://gitlab.example.com/group/project"],
  ["ssh://git@github.com/owner/name.git", "https://github.com/owner/name"],
  ["ssh://git@gitlab.example.com:2222/group/project.git", "https://gitlab.example.com/group/project"],
  ["SSH://github.com/owner/name", "https://github.com/owner/name"],
  // Written as WHATWG reads them, so that the check of the address sees what would be dialled.
  ["https://2130706433/owner/name", "https://127.0.0.1/owner/name"],
  ["https://0x7f000001/owner/name", "https://127.0.0.1/owner/name"],
  ["https://0x7f.1/owner/name", "https://127.0.0.1/owner/name"],
  ["https://0177.0.0.1/owner/name", "https://127.0.0.1/owner/name"],
  ["https://127.1/owner/name", "https://127.0.0.1/owner/name"],
  ["https://127。0。0。1/owner/name", "https://127.0.0.1/owner/name"],
  ["https://[::ffff:127.0.0.1]/owner/name", "https://[::ffff:7f00:1]/owner/name"],
  ["https://[0:0:0:0:0:0:0:1]:8443/owner/name", "https://[::1]:8443/owner/name"],
];

const REFUSED: readonly (readonly [text: string, fault: RepositoryUrlFault])[] = [
  ["", "EMPTY"],
  [`https://github.com/owner/${"n".repeat(2048)}`, "TOO_LONG"],
  ["https://github.com/owner/na me", "FORBIDDEN_CHARACTER"],
  [" https://github.com/owner/name", "FORBIDDEN_CHARACTER"],
  ["https://github.com/owner/name\n", "FORBIDDEN_CHARACTER"],
  ["https://github.com/owner/name\r\nHost: evil.example", "FORBIDDEN_CHARACTER"],
  ["https://git\thub.com/owner/name", "FORBIDDEN_CHARACTER"],
  ["https://github.com/owner/name\u0000", "FORBIDDEN_CHARACTER"],
  ["https://github.com\\@evil.example/owner/name", "FORBIDDEN_CHARACTER"],
  ["https:\\\\github.com\\owner\\name", "FORBIDDEN_CHARACTER"],
  ["https://github.com/owner/\u202Eeman", "FORBIDDEN_CHARACTER"],
  ["https://git\u200Bhub.com/owner/name", "FORBIDDEN_CHARACTER"],
  ["https://github.com/owner/\ud800", "FORBIDDEN_CHARACTER"],
  ["--upload-pack=touch /tmp/x", "FORBIDDEN_CHARACTER"],
  ["--upload-pack=touch", "LEADING_DASH"],
  ["-uhttps://github.com/owner/name", "LEADING_DASH"],
  ["-oProxyCommand=x@github.com:owner/name", "LEADING_DASH"],
  ["http://github.com/owner/name", "SCHEME_REFUSED"],
  ["HTTP://github.com/owner/name", "SCHEME_REFUSED"],
  ["git://github.com/owner/name", "SCHEME_REFUSED"],
  ["git+ssh://git@github.com/owner/name", "SCHEME_REFUSED"],
  ["ftp://github.com/owner/name", "SCHEME_REFUSED"],
  ["file:///etc/passwd", "SCHEME_REFUSED"],
  ["FILE:///etc/passwd", "SCHEME_REFUSED"],
  ["ext::sh", "SCHEME_REFUSED"],
  ["EXT::sh", "SCHEME_REFUSED"],
  ["fd::17", "SCHEME_REFUSED"],
  ["git@github.com::owner/name", "SCHEME_REFUSED"],
  ["git@github.com:/etc/passwd", "SCHEME_REFUSED"],
  ["data:text/plain,x", "SCHEME_REFUSED"],
  ["javascript:alert(1)", "SCHEME_REFUSED"],
  ["/srv/git/name.git", "SCHEME_REFUSED"],
  ["../name", "SCHEME_REFUSED"],
  ["github.com/owner/name", "SCHEME_REFUSED"],
  ["owner/name", "SCHEME_REFUSED"],
  ["https:/github.com/owner/name", "SCHEME_REFUSED"],
  ["https:github.com/owner/name", "SCHEME_REFUSED"],
  ["https:///owner/name", "EMPTY"],
  ["https://user:secret@/owner/name", "EMPTY"],
  ["https://github.com:0/owner/name", "HOST_INVALID"],
  ["https://github.com:65536/owner/name", "HOST_INVALID"],
  ["https://github.com:port/owner/name", "HOST_INVALID"],
  ["https://git_hub.example/owner/name", "HOST_INVALID"],
  ["https://github..com/owner/name", "HOST_INVALID"],
  ["https://.github.com/owner/name", "HOST_INVALID"],
  ["https://github.com../owner/name", "HOST_INVALID"],
  ["https://[::1/owner/name", "HOST_INVALID"],
  ["https://[fe80::1%25eth0]/owner/name", "HOST_INVALID"],
  ["https://1.2.3.4.5/owner/name", "HOST_INVALID"],
  ["https://256.1.1.1/owner/name", "HOST_INVALID"],
  ["https://a%00b/owner/name", "HOST_INVALID"],
  [`https://${"l".repeat(64)}.example/owner/name`, "HOST_INVALID"],
  ["ssh://-oProxyCommand=x/owner/name", "LEADING_DASH"],
  ["https://-github.com/owner/name", "LEADING_DASH"],
  ["git@-github.com:owner/name", "LEADING_DASH"],
  ["https://github.com", "PATH_INVALID"],
  ["https://github.com/", "PATH_INVALID"],
  ["https://github.com/.git", "PATH_INVALID"],
  ["https://github.com/owner/.git", "PATH_INVALID"],
  ["https://github.com//owner/name", "PATH_INVALID"],
  ["https://github.com/owner//name", "PATH_INVALID"],
  ["https://github.com/owner/name//", "PATH_INVALID"],
  ["https://github.com/owner/../name", "PATH_INVALID"],
  ["https://github.com/owner/..", "PATH_INVALID"],
  ["https://github.com/./name", "PATH_INVALID"],
  ["https://github.com/owner/%2e%2e/name", "PATH_INVALID"],
  ["https://github.com/owner%2Fname", "PATH_INVALID"],
  ["https://github.com/owner/name?ref=x", "PATH_INVALID"],
  ["https://github.com/owner/name#main", "PATH_INVALID"],
  ["https://github.com?owner/name", "PATH_INVALID"],
  ["https://github.com/owner/--upload-pack=x", "PATH_INVALID"],
  ["https://gitlab.com/group/project/-/tree/main", "PATH_INVALID"],
  ["https://github.com/owner/name.git.git", "PATH_INVALID"],
  ["https://github.com/owner/$(id)", "PATH_INVALID"],
  ["https://github.com/owner/name;id", "PATH_INVALID"],
  ["https://github.com/owner/nämé", "PATH_INVALID"],
  ["git@github.com:", "PATH_INVALID"],
  ["git@github.com:../name", "PATH_INVALID"],
  ["git@github.com:-owner/name", "PATH_INVALID"],
];

describe("parseRepositoryUrl", () => {
  for (const [text, normalizedUrl] of ACCEPTED) {
    test(`takes ${JSON.stringify(text)} as ${normalizedUrl}, and that once more as itself`, () => {
      const repository = parseRepositoryUrl(text);
      assert.equal(repository.normalizedUrl, normalizedUrl);
      assert.equal(repository.normalizedUrl, `https://${repository.host}/${repository.path}`);
      assert.deepEqual(parseRepositoryUrl(normalizedUrl), repository);
    });
  }

  for (const [text, fault] of REFUSED) {
    test(`refuses ${JSON.stringify(text).slice(0, 80)} as ${fault}`, () => {
      assert.throws(
        () => parseRepositoryUrl(text),
        (error) =>
          error instanceof RepositoryUrlError && error.fault === fault && error.message.endsWith("."),
      );
    });
  }

  test("never repeats a password in a refusal", () => {
    for (const text of ["https://u:hunter2@/a/b", "https://u:hunter2@h/..", "http://u:hunter2@h/a"]) {
      assert.throws(
        () => parseRepositoryUrl(text),
        (error) => error instanceof RepositoryUrlError && !error.message.includes("hunter2"),
      );
    }
  });

  test("handles 100,000 hostile characters quickly", () => {
    const startedAt = performance.now();
    for (const part of ["a/", "@", ".", "-", ":", "%2e"]) {
      assert.throws(() => parseRepositoryUrl(`https://${part.repeat(100_000)}`), RepositoryUrlError);
      assert.throws(() => parseRepositoryUrl(`https://h/${part.repeat(500)}!`), RepositoryUrlError);
    }
    assert.ok(performance.now() - startedAt < 1000);
  });
});

describe("identifyRepository", () => {
  const overHttp: readonly (readonly [text: string, normalizedUrl: string])[] = [
    ["http://github.com/owner/name", "https://github.com/owner/name"],
    ["HTTP://u:p@GIT.sandbox.TEST/demo/", "https://git.sandbox.test/demo"],
    ["http://github.com:80/owner/name.git", "https://github.com/owner/name"],
    ["http://gitlab.example.com:8443/group/project", "https://gitlab.example.com:8443/group/project"],
    ["http://[::1]/owner/name", "https://[::1]/owner/name"],
  ];
  for (const [text, normalizedUrl] of [...overHttp, ...ACCEPTED]) {
    test(`takes ${JSON.stringify(text)} as ${normalizedUrl}`, () => {
      assert.deepEqual(identifyRepository(text), parseRepositoryUrl(normalizedUrl));
    });
  }

  const isOverHttp = (text: string): boolean => /^http:/i.test(text);
  for (const [text, fault] of REFUSED.filter(([one]) => !isOverHttp(one))) {
    test(`refuses ${JSON.stringify(text).slice(0, 80)} as ${fault}`, () => {
      assert.throws(
        () => identifyRepository(text),
        (error) => error instanceof RepositoryUrlError && error.fault === fault,
      );
    });
  }
});

describe("parseGitHost", () => {
  const hosts: readonly (readonly [string, string])[] = [
    ["GitLab.Example.com", "gitlab.example.com"],
    ["gitlab.example.com:443", "gitlab.example.com"],
    ["gitlab.example.com:8443", "gitlab.example.com:8443"],
    ["gitlab.example.com:", "gitlab.example.com"],
    ["10.0.0.1", "10.0.0.1"],
    ["[FD00::1]:8443", "[fd00::1]:8443"],
  ];
  for (const [text, host] of hosts) {
    test(`takes ${text} as ${host}`, () => assert.equal(parseGitHost(text), host));
  }

  for (const text of [
    "",
    "https://gitlab.example.com",
    "gitlab.example.com/git",
    "u@gitlab.example.com",
    "a b",
  ]) {
    test(`refuses ${JSON.stringify(text)}`, () =>
      assert.throws(() => parseGitHost(text), RepositoryUrlError));
  }
});
