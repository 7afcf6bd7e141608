/** Servers in other languages than JavaScript. The default builder has Node.js only, so they need a Dockerfile. Pure. */
import { type Detection, type Framework, type RepositoryFiles, serverOf } from "./detection.ts";

const LANGUAGES: readonly (readonly [file: RegExp, Framework])[] = [
  [/^go\.mod$/, { id: "go", name: "Go" }],
  [/^Cargo\.toml$/, { id: "rust", name: "Rust" }],
  [/^Gemfile$/, { id: "ruby", name: "Ruby" }],
  [/^composer\.json$/, { id: "php", name: "PHP" }],
  [/^(?:pom\.xml|build\.gradle(?:\.kts)?)$/, { id: "java", name: "Java" }],
  [/\.(?:csproj|fsproj|sln)$/, { id: "dotnet", name: ".NET" }],
];

/** Null if there is none. */
export function decideLanguage(repository: RepositoryFiles): Detection | null {
  const python = decidePython(repository);
  if (python !== null) return python;
  for (const [pattern, framework] of LANGUAGES) {
    const file = [...repository.files].find((name) => pattern.test(name));
    if (file !== undefined) return needsContainer(framework, file, commandOf(repository), 8080);
  }
  return null;
}

function decidePython({ files, texts }: RepositoryFiles): Detection | null {
  const file = ["requirements.txt", "pyproject.toml", "Pipfile", "manage.py"].find((name) => files.has(name));
  if (file === undefined) return null;
  const packages = `${texts.get("requirements.txt") ?? ""}\n${texts.get("pyproject.toml") ?? ""}`;
  const uses = (name: string): boolean =>
    new RegExp(`(?:^|["'\\s])${name}(?:[^a-z0-9-]|$)`, "im").test(packages);
  const module = files.has("main.py") && !files.has("app.py") ? "main" : "app";
  const known: readonly (readonly [boolean, Framework, string | null])[] = [
    [files.has("manage.py") || uses("django"), { id: "django", name: "Django" }, null],
    [uses("fastapi"), { id: "fastapi", name: "FastAPI" }, `uvicorn ${module}:app --host 0.0.0.0 --port 8000`],
    [uses("flask"), { id: "flask", name: "Flask" }, `gunicorn --bind 0.0.0.0:8000 ${module}:app`],
    [true, { id: "python", name: "Python" }, null],
  ];
  for (const [isUsed, framework, command] of known)
    if (isUsed) return needsContainer(framework, file, commandOf({ files, texts }) ?? command, 8000);
  return null;
}

/** What a Procfile starts for the web. */
function commandOf({ texts }: RepositoryFiles): string | null {
  return /^web:\s*(.+?)\s*$/m.exec(texts.get("Procfile") ?? "")?.[1] ?? null;
}

function needsContainer(framework: Framework, file: string, command: string | null, port: number): Detection {
  return {
    framework,
    service: serverOf(null, command, port),
    reasons: [`The root has ${/^[AEIOU]/i.test(file) ? "an" : "a"} ${file}.`],
    hints: [
      `On AWS, Slipway builds ${framework.name} with a Dockerfile only: add one to the root of the repository.`,
      ...(command === null ? ["Enter the command that starts the server."] : []),
    ],
  };
}
