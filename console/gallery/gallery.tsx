/** Every component of `app/ui` in every state, for development: `npm run console:gallery`. It is in no build. */
import "../app/ui/base.css";
import { Copy, Plus, RefreshCw, Rocket, Trash2 } from "lucide-react";
import { type ReactNode, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { Button } from "../app/ui/button.tsx";
import { ColumnChart, Charts } from "../app/ui/chart.tsx";
import { Copyable, CopyableId, CopyButton } from "../app/ui/copy.tsx";
import { Dialog, DialogActions } from "../app/ui/dialog.tsx";
import { ColorField } from "../app/ui/color-field.tsx";
import { CheckField, ChecksField, ComboField, SelectField, TextArea, TextField } from "../app/ui/field.tsx";
import { Figures } from "../app/ui/figures.tsx";
import { FormSection } from "../app/ui/form-section.tsx";
import { Icon } from "../app/ui/icon.tsx";
import {
  Badge,
  Card,
  Empty,
  Facts,
  Fine,
  Quiet,
  Row,
  Section,
  Skeleton,
  Stack,
  type Tone,
} from "../app/ui/layout.tsx";
import { LogView } from "../app/ui/log-view.tsx";
import { Menu } from "../app/ui/menu.tsx";
import { Table } from "../app/ui/table.tsx";
import { PickField } from "../app/ui/pick-field.tsx";
import { RadioField } from "../app/ui/radio-field.tsx";
import { Lasted, When } from "../app/ui/time.tsx";
import { toast, Toasts } from "../app/ui/toast.tsx";

const TONES: readonly (readonly [Tone, string])[] = [
  ["good", "Succeeded"],
  ["busy", "Building"],
  ["todo", "Waiting for your DNS record"],
  ["bad", "Failed"],
  ["calm", "Cancelled"],
];
const COLOURS = ["ink", "quiet", "accent", "good", "busy", "todo", "bad"];
const GROUNDS = ["paper", "card", "raised", "soft", "accent-soft", "good-soft", "todo-soft", "bad-soft"];
const ROWS = Array.from({ length: 14 }, (_, index) => ({
  name: `shop-${index + 1}.example.com`,
  requests: (index * 7919) % 1000,
  at: new Date(Date.now() - index * 3_600_000).toISOString(),
}));
const LONG = "customer-with-a-very-long-name.subsidiary-of-another.example.com";
const LINES = [
  "\u001B[32m✔\u001B[0m installed 214 packages",
  "vite v8 building for production…",
  "\u001B[31merror\u001B[0m Cannot find module './prices'",
  "<b>markup is text</b>",
];

function Gallery() {
  const [text, setText] = useState("shop");
  const [choice, setChoice] = useState("viewer");
  const [isOn, setOn] = useState(true);
  const [some, setSome] = useState<readonly string[]>(["read"]);
  const [isOpen, setOpen] = useState(false);
  const roles = [
    ["viewer", "Viewer"],
    ["developer", "Developer"],
    ["admin", "Admin"],
  ] as const;
  return (
    <main style={{ maxWidth: "80rem", margin: "0 auto", padding: "2rem" }}>
      <h1>Components of the console</h1>
      <Part title="Colours">
        <Row>
          {GROUNDS.map((ground) => (
            <Swatch key={ground} ground={ground} />
          ))}
        </Row>
      </Part>
      <Part title="Type">
        <h1>Title, 22 pixels</h1>
        <h2>Section, 16 pixels</h2>
        <h3>Part, 14 pixels</h3>
        <p>
          Text, 14 pixels, with <a href="#link">a link</a>, <code>code</code>, <kbd>Ctrl K</kbd> and{" "}
          <Quiet>quiet words</Quiet>.
        </p>
        <small>Small, 12 pixels</small>
      </Part>
      <Part title="Buttons">
        <Row>
          <Button look="primary">
            <Icon of={Rocket} /> Deploy
          </Button>
          <Button>
            <Icon of={Plus} /> Add domains
          </Button>
          <Button look="danger">
            <Icon of={Trash2} /> Delete
          </Button>
          <Button look="plain">Cancel</Button>
          <Button isPending>Deploying…</Button>
          <Button disabledReason="Only an admin may do this. Ask Vera.">Disabled</Button>
          <Button size="small">Small</Button>
          <Menu
            label="Actions for shop"
            items={[
              { label: "Check now", icon: RefreshCw, onSelect: () => toast("Checked.") },
              { label: "Copy the id", icon: Copy, onSelect: () => toast("Copied.") },
              { label: "Rename", disabledReason: "Only an admin may do this." },
              { label: "Delete", icon: Trash2, isDanger: true, group: "" },
            ]}
          >
            …
          </Menu>
        </Row>
      </Part>
      <Part title="States">
        <Row>
          {TONES.map(([tone, words]) => (
            <Badge key={tone} tone={tone} status={tone}>
              {words}
            </Badge>
          ))}
        </Row>
        <Row>
          <When at={new Date().toISOString()} />{" "}
          <Lasted from={ROWS[2]?.at ?? null} to={ROWS[1]?.at ?? null} />
        </Row>
      </Part>
      <Part title="Fields">
        <TextField
          label="Name"
          hint="People see it."
          name="name"
          value={text}
          onChange={setText}
          fault={null}
        />
        <TextField label="Name" name="wrong" value="" onChange={setText} fault="Give it a name." />
        <TextArea label="Note" isOptional isCode name="note" value={text} onChange={setText} fault={null} />
        <SelectField
          label="Role"
          name="role"
          options={roles}
          value={choice}
          onChange={setChoice}
          fault={null}
        />
        <ComboField
          label="Repository"
          placeholder="Search"
          name="repository"
          options={ROWS.map((row) => ({
            value: row.name,
            label: row.name,
            detail: `${row.requests} requests`,
          }))}
          value={text}
          onChange={setText}
          fault={null}
        />
        <ColorField
          label="Accent colour"
          usual="#0b6479"
          name="color"
          value={text}
          onChange={setText}
          fault={null}
        />
        <CheckField label="Deploy on every push" name="push" value={isOn} onChange={setOn} fault={null} />
        <ChecksField
          label="Scopes"
          name="scopes"
          options={roles}
          value={some}
          onChange={setSome}
          fault={null}
        />
        <RadioField
          label="Which events"
          name="which"
          options={[
            ["viewer", "All events", "Also types that later releases add."],
            ["admin", "Chosen events", "Groups of events, or single types."],
          ]}
          value={choice}
          onChange={setChoice}
          fault={null}
        />
      </Part>
      <Part title="Picking from many">
        <FormSection title="A section of a form" lead="What its fields are for.">
          <PickField
            label="Services"
            what="services"
            name="services"
            groups={["Shop", "Blog"].map((project) => ({
              value: `${project}.*`,
              label: project,
              options: ROWS.slice(0, 6).map((row) => ({
                value: `${project}.${row.name}`,
                label: row.name,
                detail: `Got ${row.requests} requests in the last hour.`,
                code: `${project.toLowerCase()}.${row.requests}`,
              })),
            }))}
            value={some}
            onChange={setSome}
            fault={null}
          />
        </FormSection>
      </Part>
      <Part title="Facts and copies">
        <Facts
          of={[
            ["Repository", "github.com/harbor/shop"],
            ["Address", <Copyable key="address" text="d1.cdn.example.com" what="the address" />],
            ["Id", <CopyableId key="id" text="proj_01m8b2dfzze4eaf0eh0x78kb4b" what="the id" />],
            ["All", <CopyButton key="all" text="all" what="all" label="Copy all" />],
          ]}
        />
      </Part>
      <Part title="Table">
        <Table
          caption="Domains"
          rows={ROWS}
          keyOf={({ name }) => name}
          filterBy={({ name }) => name}
          columns={[
            { label: "Domain", cell: ({ name }) => name, sortBy: ({ name }) => name },
            { label: "Points at", cell: () => LONG },
            { label: "State", isShort: true, cell: () => <Badge tone="good">Served</Badge> },
            {
              label: "Requests",
              isNumber: true,
              cell: ({ requests }) => requests,
              sortBy: (row) => row.requests,
            },
            { label: "Checked", isShort: true, cell: ({ at }) => <When at={at} /> },
          ]}
        />
      </Part>
      <Part title="Empty, loading">
        <Empty title="No domains yet" action={<Button look="primary">Add domains</Button>}>
          A domain brings your customers to a service, over HTTPS.
        </Empty>
        <Card>
          <Skeleton lines={3} />
        </Card>
        <Fine>Fine print.</Fine>
      </Part>
      <Part title="Chart">
        <Figures
          label="Last 24 hours"
          of={[
            { label: "Requests", value: "1,204" },
            { label: "Failed", value: "3", detail: "0.25% of all" },
            { label: "Loading", value: null },
          ]}
        />
        <Charts>
          <ColumnChart
            title="Deployments, last 10 days"
            step="Day"
            empty="None"
            series={[
              { label: "Succeeded", tone: "good" },
              { label: "Failed", tone: "bad" },
            ]}
            points={ROWS.slice(0, 10).map((_, index) => ({
              label: `${index + 1} Nov`,
              values: [index + 1, index % 3],
            }))}
          />
        </Charts>
      </Part>
      <Part title="Log">
        <LogView
          label="Log"
          state="ended"
          empty="Nothing was printed."
          fileName="log.txt"
          rows={LINES.map((line, index) => ({
            key: String(index),
            at: ROWS[index]?.at ?? "",
            of: "Website",
            isError: index === 2,
            text: line,
          }))}
        />
      </Part>
      <Part title="Overlays">
        <Row>
          <Button onClick={() => setOpen(true)}>Open a dialog</Button>
          <Button onClick={() => toast("Saved.")}>Show a message</Button>
        </Row>
        {isOpen ? (
          <Dialog title="Delete shop.example.com?" onClose={() => setOpen(false)}>
            <p>Its visitors see an error from that moment.</p>
            <DialogActions>
              <Button onClick={() => setOpen(false)}>Cancel</Button>
              <Button look="danger" onClick={() => setOpen(false)}>
                Delete
              </Button>
            </DialogActions>
          </Dialog>
        ) : null}
      </Part>
      <Toasts />
    </main>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Section title={title}>
      <Stack>{children}</Stack>
    </Section>
  );
}

function Swatch({ ground }: { readonly ground: string }) {
  return (
    <div style={{ padding: "0.75rem", background: `var(--${ground})`, border: "1px solid var(--line)" }}>
      <small>{ground}</small>
      {COLOURS.filter(
        (colour) =>
          ["ink", "quiet"].includes(colour) || !ground.endsWith("-soft") || ground.startsWith(colour),
      ).map((colour) => (
        <div key={colour} style={{ color: `var(--${colour})` }}>
          {colour}
        </div>
      ))}
    </div>
  );
}

const app = document.querySelector("#app");
if (app === null) throw new Error("The page has no place for the components.");
createRoot(app).render(
  <StrictMode>
    <Gallery />
  </StrictMode>,
);
