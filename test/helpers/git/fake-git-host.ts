/** The answers of git's smart HTTP, written here from its documentation and not by the code under test. */
import type { IncomingMessage, ServerResponse } from "node:http";

export type AdvertisedRef = { readonly name: string; readonly oid: string; readonly symrefTarget?: string };

/** Four hexadecimal digits of length, themselves counted, then the text (gitprotocol-common). */
function packet(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, "0") + text;
}

/** Protocol 1, as `info/refs` answers it: all references, symbolic ones among the capabilities. */
export function advertisement(refs: readonly AdvertisedRef[]): string {
  const symrefs = refs.flatMap(({ name, symrefTarget }) =>
    symrefTarget === undefined ? [] : [`symref=${name}:${symrefTarget}`],
  );
  const capabilities = ["multi_ack", ...symrefs, "agent=git/test"].join(" ");
  const lines =
    refs.length === 0 ? [`${"0".repeat(40)} capabilities^{}`] : refs.map((r) => `${r.oid} ${r.name}`);
  const packets = lines.map((line, index) =>
    packet(index === 0 ? `${line}\0${capabilities}\n` : `${line}\n`),
  );
  return `${packet("# service=git-upload-pack\n")}0000${packets.join("")}0000`;
}

/** Protocol 2: capabilities first; the references are asked for with `ls-refs`. */
export const capabilitiesV2 = `${packet("# service=git-upload-pack\n")}0000${packet("version 2\n")}${packet("agent=git/test\n")}${packet("ls-refs=unborn\n")}0000`;

function lsRefsV2(refs: readonly AdvertisedRef[]): string {
  const packets = refs.map(({ name, oid, symrefTarget }) =>
    packet(`${oid} ${name}${symrefTarget === undefined ? "" : ` symref-target:${symrefTarget}`}\n`),
  );
  return `${packets.join("")}0000`;
}

/** Answers as a git host of that protocol does. */
export function answerGit(
  request: IncomingMessage,
  response: ServerResponse,
  refs: readonly AdvertisedRef[],
  protocol: 1 | 2,
): void {
  const isListing = request.method === "POST";
  response.setHeader(
    "content-type",
    `application/x-git-upload-pack-${isListing ? "result" : "advertisement"}`,
  );
  if (isListing) request.resume().on("end", () => response.end(lsRefsV2(refs)));
  else response.end(protocol === 2 ? capabilitiesV2 : advertisement(refs));
}
