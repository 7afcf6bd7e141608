import type { ApiAnswer, ApiClient } from "../helpers/api-client.ts";

/** A client that remembers every answer, headers and body, as text. */
export type RecordingClient = ApiClient & {
  readonly answers: readonly string[];
  /** Adds an answer that came another way. */
  note(answer: string): void;
};

/** Does not record what the customer's own cloud says, and the answers that `isOwed` names. */
export function recordAnswers(client: ApiClient, isOwed: (path: string) => boolean): RecordingClient {
  const answers: string[] = [];
  const record = async (path: string, answer: Promise<ApiAnswer>): Promise<ApiAnswer> => {
    const got = await answer;
    if (!isOwed(path)) answers.push(JSON.stringify([got.status, [...got.headers], got.body]));
    return got;
  };
  return {
    baseUrl: client.baseUrl,
    key: client.key,
    answers,
    note: (answer) => void answers.push(answer),
    get: (path, headers) => record(path, client.get(path, headers)),
    post: (path, body, headers) => record(path, client.post(path, body, headers)),
    put: (path, body, headers) => record(path, client.put(path, body, headers)),
    patch: (path, body, headers) => record(path, client.patch(path, body, headers)),
    delete: (path, body, headers) => record(path, client.delete(path, body, headers)),
  };
}
