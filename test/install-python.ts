/** Builds the Python environments of the suites ahead of their runs. The gate does so while other tests run. */
import { openPythonEnvironment } from "./helpers/processes/python-environment.ts";

openPythonEnvironment("aws");
openPythonEnvironment("schemathesis");
openPythonEnvironment("install");
