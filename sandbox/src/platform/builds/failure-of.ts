import { GitError } from "../../../../src/git/git.ts";
import { RepositoryUrlError } from "../../../../src/git/repository-url.ts";
import { RepositoryFault } from "../../git/objects.ts";
import { Refusal } from "../../refusal.ts";
import { VariableNotFound } from "../variables.ts";
import { BuildFailed } from "./build-failed.ts";

/** What a build ends with that threw this, for users. */
export function failureOf(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof BuildFailed || error instanceof RepositoryFault || error instanceof GitError) {
    return { code: error.code, message: error.message };
  }
  if (error instanceof RepositoryUrlError) return { code: "REPOSITORY_NOT_FOUND", message: error.message };
  if (error instanceof VariableNotFound) return { code: "VARIABLE_NOT_FOUND", message: error.message };
  if (error instanceof Refusal) return { code: "VALUES_UNAVAILABLE", message: error.message };
  const isFull = error instanceof Error && "code" in error && error.code === "ENOSPC";
  if (isFull) return { code: "DISK_FULL", message: "The disk of the server is full." };
  return {
    code: "INTERNAL",
    message: "The build failed because of an error in the server; see its log.",
  };
}
