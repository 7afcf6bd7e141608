/** IAM's evaluation of a role's own policies, as far as the connection's template uses it: what nothing allows is denied. */

export type Statement = {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: { readonly StringEquals: Readonly<Record<string, unknown>> };
};

/** What CloudFormation puts in place of names: parameters, pseudo parameters, `Resource.Arn`. */
export type Names = Readonly<Record<string, string>>;

export function allows(
  statements: readonly Statement[],
  names: Names,
  request: { action: string; resource: string; context: Readonly<Record<string, string>> },
): boolean {
  return statements.some(({ Action, Resource, Condition }) => {
    const conditions = Object.entries(Condition?.StringEquals ?? {});
    return (
      [Action].flat().includes(request.action) &&
      [Resource].flat().some((pattern) => matches(resolve(pattern, names), request.resource)) &&
      conditions.every(([key, value]) =>
        [value].flat().some((one) => resolve(one, names) === request.context[key]),
      )
    );
  });
}

function matches(pattern: string, text: string): boolean {
  const source = pattern.split("*").map((part) => part.replaceAll(/[.?+^$()[\]{}|\\]/g, "\\$&"));
  return new RegExp(`^${source.join(".*")}$`).test(text);
}

/** `Ref`, `Fn::GetAtt` and `Fn::Sub` with names alone. */
function resolve(value: unknown, names: Names): string {
  if (typeof value === "string") return value;
  const [name, argument] = Object.entries(value as Record<string, unknown>)[0] ?? [];
  const named = (key: string): string => {
    const found = names[key];
    if (found === undefined) throw new Error(`The template names ${key}, which this test does not know.`);
    return found;
  };
  if (name === "Ref") return named(String(argument));
  if (name === "Fn::GetAtt") return named([argument].flat().join("."));
  if (name === "Fn::Sub")
    return String(argument).replaceAll(/\$\{([^}]+)\}/g, (_, key: string) => named(key));
  throw new Error(`The template uses ${String(name)}, which this test does not know.`);
}
