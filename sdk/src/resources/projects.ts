import { Projects as Generated } from "../generated/resources.ts";
import type { Project } from "../generated/types.ts";
import { type WaitOptions, waitUntilGone } from "../watch.ts";

export class Projects extends Generated {
  /** Waits until a project that is being deleted no longer exists. @throws WaitTimeoutError, AbortedError, ApiError */
  async waitUntilDeleted(projectId: string, options?: WaitOptions<Project>): Promise<void> {
    await waitUntilGone(`project ${projectId}`, (held) => this.watch(projectId, held), options);
  }
}
