import { Type } from "typebox";
import type { Http } from "../../http/http.ts";
import { Body } from "../../http/schemas.ts";
import { PROJECTS_TAG } from "../projects/routes.ts";
import { decideImport } from "./decide-import.ts";
import { FILE_LENGTH_MAX, type ImportCloud } from "./flightcontrol-import.ts";
import { FlightcontrolImportSchema, viewImport } from "./views.ts";

/** A write only because a read has no body: it changes nothing. */
export function registerFlightcontrolImportRoute(http: Http, cloud: ImportCloud): void {
  http.write({
    method: "POST",
    path: "/v1/configurations/import",
    role: "developer",
    scope: "admin",
    reach: "organization",
    tag: PROJECTS_TAG,
    sdk: "projects.importConfiguration",
    summary: "Propose a configuration for a flightcontrol.json",
    description:
      "Takes the text of a flightcontrol.json, and returns a proposed configuration and what becomes of each field. Nothing is stored. Values that look like secrets are in no part of the response.",
    body: Body({
      flightcontrol: Type.String({
        maxLength: FILE_LENGTH_MAX,
        description: "The text of the file.",
        examples: [
          '{"environments": [{"id": "production", "name": "Production", "region": "us-west-2", "source": {"branch": "main"}, "services": [{"id": "web", "name": "Web", "type": "static", "outputDirectory": "dist"}]}]}',
        ],
      }),
    }),
    responses: { 200: FlightcontrolImportSchema },
    commit: ({ body }) =>
      Promise.resolve({ status: 200, body: viewImport(decideImport(body.flightcontrol, cloud)) }),
  });
}
