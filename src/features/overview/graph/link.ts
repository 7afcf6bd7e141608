/** A variable that takes its value from a service. */
export type Link = {
  /** Null for a variable of the environment, which all its services get. */
  readonly serviceId: string | null;
  readonly name: string;
  readonly source: "api" | "config";
  readonly linkedServiceId: string;
  readonly property: string;
};
