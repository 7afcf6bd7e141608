"""The connection's template as JSON, its tags in their long form."""
import json, sys
from cfnlint.decode.cfn_yaml import load

print(json.dumps(load(sys.argv[1])))
