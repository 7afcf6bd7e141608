/** The server cannot listen at an address. The message says what an operator has to change. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/**
 * Turns a failure of `listen` into a sentence. Errors that are not about the address are returned as they are.
 * @param portVariable the environment variable that sets the port
 */
export function toListenError(error: unknown, host: string, port: number, portVariable: string): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  const sentence = explain(error.code, host, port, portVariable);
  return sentence === null ? error : new ListenError(sentence, { cause: error });
}

function explain(code: unknown, host: string, port: number, portVariable: string): string | null {
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  switch (code) {
    case "EADDRINUSE":
      return `Another program listens on ${address}. Stop it, or set ${portVariable} to another port.`;
    case "EACCES":
      return `This user may not listen on ${address}. Set ${portVariable} to a port of 1024 or above.`;
    case "EADDRNOTAVAIL":
    case "EAFNOSUPPORT":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `This machine cannot listen on ${address}: it has no such address. Set HOST to one of its addresses, such as 127.0.0.1 or 0.0.0.0.`;
    default:
      return null;
  }
}
