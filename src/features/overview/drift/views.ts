import { Type } from "typebox";
import { Id, Nullable, Text, Words } from "../../../http/schemas.ts";
import { type Drift, DRIFT_STATES, type NewestCommit } from "./drift.ts";
import { shortHash } from "../../../lib/short-hash.ts";

const StateSchema = Words(DRIFT_STATES, {
  title: "DriftState",
  description:
    "`CURRENT`: the newest commit of the branch runs. `BEHIND`: another commit than the newest one runs. `NOT_DEPLOYED`: nothing was released yet. `UNKNOWN`: something runs, but the newest commit is not known. Of an environment: `BEHIND` if any service is, `NOT_DEPLOYED` if none was released, else what its released services are.",
  examples: ["BEHIND"],
});

const NewestSchema = Type.Object(
  {
    commit: Text("The first 7 digits of the commit.", "9fceb02"),
    commitHash: Text("The commit.", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
    commitMessage: Nullable(Text("Its message, if the git host tells it.", "Show the price with tax")),
    commitAuthor: Nullable(Text("The name of its author, if the git host tells it.", "Ada Lovelace")),
  },
  { title: "NewestCommit", description: "The newest commit of the branch, as its git host says now." },
);

const ServiceDriftSchema = Type.Object(
  {
    serviceId: Id("svc", "The service."),
    name: Text("Shown to people.", "Website"),
    liveCommit: Nullable(
      Text(
        "The commit that runs; null if nothing was released yet.",
        "d670460b4b4aece5915caf5c68d12f560a9fe3e4",
      ),
    ),
    state: StateSchema,
  },
  { title: "ServiceDrift", description: "What runs as a service, compared with the branch." },
);

export const DriftSchema = Type.Object(
  {
    branch: Text("The branch that the environment follows.", "main"),
    newest: Nullable(NewestSchema),
    problem: Nullable(Text("Why the newest commit is not known.", null)),
    state: StateSchema,
    services: Type.Array(ServiceDriftSchema, {
      description:
        "Its services, ordered by id, without external ones: no commit runs as them, because they are hosts of your own.",
    }),
  },
  {
    title: "EnvironmentDrift",
    description: "What runs in an environment, compared with the newest commit of its branch.",
  },
);

export function viewDrift({ branch, newest, problem, state, services }: Drift) {
  return {
    branch,
    newest: newest === null ? null : viewNewest(newest),
    problem,
    state,
    services: [...services],
  };
}

function viewNewest({ hash, message, author }: NewestCommit) {
  return {
    commit: shortHash(hash),
    commitHash: hash,
    commitMessage: message,
    commitAuthor: author,
  };
}
