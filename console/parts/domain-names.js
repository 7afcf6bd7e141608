/** @import { Answer, Api } from "../api-types.ts" */
import { ProblemError } from "../api.js";

/**
 * Sends the names that a user typed or pasted, separated by lines, spaces or commas. Faults then contain
 * the name they are about, not only its position in the list.
 * @param {Api} api
 * @param {string} path
 * @param {string} text
 * @param {object} [rest] The other members of the body.
 * @returns {Promise<Answer>}
 */
export async function sendDomainNames(api, path, text, rest = {}) {
  const domains = text.split(/[\s,;]+/).filter((name) => name !== "");
  try {
    return await api.write("POST", path, { ...rest, domains });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const errors = error.problem.errors.map((fault) => {
      const name = domains[Number(/^\/domains\/(\d+)$/.exec(fault.path)?.[1])];
      return name === undefined ? fault : { ...fault, message: `${name} ${fault.message}` };
    });
    throw new ProblemError({ ...error.problem, errors });
  }
}
