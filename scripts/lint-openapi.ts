import { createConfig, lintFromString } from "@redocly/openapi-core";

type Problems = Awaited<ReturnType<typeof lintFromString>>;

/**
 * What Redocly's linter finds in an OpenAPI document. As a library, for its command line reports home and asks for
 * newer releases of itself.
 */
export async function lintOpenApi(document: object): Promise<Problems> {
  const config = await createConfig({
    extends: ["recommended-strict"],
    rules: {
      // The specification has `…/env-variables/status` beside `…/env-variables/{name}`, whose page says so.
      "no-ambiguous-paths": "off",
      "operation-description": "error",
      "operation-singular-tag": "error",
      "operation-tag-defined": "error",
      "parameter-description": "error",
      "component-name-unique": "error",
      "operation-4xx-problem-details-rfc7807": "error",
      "path-params-defined": "error",
      "paths-kebab-case": "error",
      "no-http-verbs-in-paths": "error",
      "boolean-parameter-prefixes": "off",
    },
  });
  return await lintFromString({ source: JSON.stringify(document, null, 2), config });
}
