/** A CloudFormation template, limited to what Slipway writes. */
export type Template = {
  readonly AWSTemplateFormatVersion: "2010-09-09";
  readonly Description: string;
  readonly Resources: Resources;
  readonly Outputs: Readonly<Record<string, Output>>;
};

export type Resources = Readonly<
  Record<
    string,
    {
      readonly Type: string;
      readonly Properties: Readonly<Record<string, unknown>>;
      readonly DependsOn?: readonly string[];
      readonly DeletionPolicy?: "Delete" | "RetainExceptOnCreate" | "Snapshot";
      readonly UpdateReplacePolicy?: "Retain" | "Snapshot";
    }
  >
>;

export type Output = { readonly Value: unknown; readonly Export?: { readonly Name: string } };

export const ref = (name: string) => ({ Ref: name });
export const getAtt = (name: string, attribute: string) => ({ "Fn::GetAtt": [name, attribute] });
/** Only for our own text: `${…}` in it is replaced. */
export const sub = (text: string) => ({ "Fn::Sub": text });
export const exported = (name: string, Value: unknown): Output => ({ Value, Export: { Name: name } });
export const importValue = (name: string) => ({ "Fn::ImportValue": name });
