/**
 * Route 53's rules of changes, which moto lacks: no record set exists twice, a CNAME shares its name with no other
 * record set, and a deletion must name the exact content.
 */
import { type AwsAnswer, type AwsRequest, refusal } from "./request.ts";

type RecordSet = { readonly name: string; readonly type: string; readonly content: string };

export function createZoneRules(forward: (request: AwsRequest) => Promise<AwsAnswer>) {
  return async (request: AwsRequest): Promise<AwsAnswer | null> => {
    const { api, path, body } = request;
    if (api !== "route53:ChangeResourceRecordSets") return null;
    const changes = elementsOf(body.toString(), "Change").map((change) => ({
      action: textOf(change, "Action"),
      set: readSet(change),
    }));
    for (const { action, set } of changes) {
      const list = `${path}?name=${encodeURIComponent(set.name)}&maxitems=50`;
      const headers = { authorization: request.headers.authorization };
      const listed = await forward({ ...request, headers, method: "GET", path: list, body: Buffer.alloc(0) });
      const all = elementsOf(listed.body.toString(), "ResourceRecordSet").map(readSet);
      const present = all.filter(({ name }) => name === set.name);
      const others = changes.flatMap((other) =>
        other.set !== set && other.set.name === set.name ? other.set : [],
      );
      const same = present.find(({ type }) => type === set.type);
      const clash = [...present, ...others].some(({ type }) => [type, set.type].includes("CNAME"));
      if (action === "DELETE" && same?.content !== set.content)
        return refusal(api, 400, "InvalidChangeBatch", `Tried to delete ${set.name}, which is not so`);
      if (action === "CREATE" && (same !== undefined || clash))
        return refusal(api, 400, "InvalidChangeBatch", `Tried to create ${set.name}, which is not possible`);
    }
    return null;
  };
}

function readSet(xml: string): RecordSet {
  const parts = ["TTL", "Value", "HostedZoneId", "DNSName"].flatMap((tag) => elementsOf(xml, tag));
  const name = textOf(xml, "Name").replace("\\052", "*").replace(/\.$/, "");
  return { name, type: textOf(xml, "Type"), content: parts.map((part) => part.replace(/\.$/, "")).join() };
}

function elementsOf(xml: string, tag: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, "gs"))].map(([, inner = ""]) => inner);
}

function textOf(xml: string, tag: string): string {
  return elementsOf(xml, tag)[0] ?? "";
}
