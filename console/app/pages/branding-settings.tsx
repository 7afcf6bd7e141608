/** How the organization's share pages look: name, colour and logo, with a preview of what is typed. */
import { useState } from "react";
import type { Branding } from "../../../sdk/src/generated/types.ts";
import { contrastOf, decideColors } from "../../../src/lib/accent-colors.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, useRead } from "../api/query.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { ColorField, isColor } from "../ui/color-field.tsx";
import { TextField } from "../ui/field.tsx";
import { Section } from "../ui/layout.tsx";
import { toast } from "../ui/toast.tsx";
import { BrandingPreview } from "./branding-preview.tsx";
import { type ChosenLogo, LogoField } from "./logo-field.tsx";

type Values = {
  readonly name: string;
  readonly accentColor: string;
  /** The address of the present logo, the base64 text of a new one, or nothing. */
  readonly logo: string;
};

export function BrandingSection() {
  const branding = useRead(read("organization", "getBranding"));
  const { reason } = useCan("rename the organization");
  const [chosen, setChosen] = useState<ChosenLogo | null>(null);
  const { appearance } = branding;
  const initial: Values = {
    name: branding.name ?? "",
    accentColor: branding.accentColor ?? "",
    logo: branding.logo?.url ?? "",
  };
  const form = useForm({
    initial,
    submit: (values) => slipway.organization.updateBranding(changeOf(initial, values)),
    refreshes: ["organization"],
    onDone: (answer) => {
      // From here on, the new logo's address is the form's value.
      form.set({ logo: answer.logo?.url ?? "" });
      setChosen(null);
      toast("Saved. Share pages show it from now on.");
    },
  });
  const { name, accentColor, logo } = form.values;
  const usual = branding.accentColor === null ? appearance.accentColor : INSTALLATION_COLOR;
  const color = isColor(accentColor) ? accentColor.toLowerCase() : usual;
  const { onAccent } = decideColors(color);
  return (
    <Section title="Share pages">
      <p>
        A share link shows the owner of a domain which DNS records to set. Give its page your name, colour and
        logo.
      </p>
      <FormBox
        form={form}
        action="Save branding"
        refusal={reason}
        disabledReason={form.isDirty ? null : "Nothing is changed."}
      >
        <TextField
          label="Name on share pages"
          isOptional
          maxLength={60}
          placeholder={branding.name === null ? appearance.name : "The installation's name"}
          {...form.field("name")}
        />
        <ColorField
          label="Accent colour"
          usual={usual}
          hint={`Text on it is ${onAccent === "#ffffff" ? "white" : "black"}, with a contrast of ${contrastOf(color, onAccent).toFixed(1)}. Links get a tone that can be read.`}
          {...form.field("accentColor")}
        />
        <LogoField
          hasLogo={logo !== ""}
          fault={form.field("logo").fault}
          onChoose={(next) => {
            setChosen(next);
            form.set({ logo: next?.base64 ?? "" });
          }}
        />
        <BrandingPreview
          name={name.trim() === "" ? appearance.name : name}
          color={color}
          logo={chosen?.bitmap ?? (logo !== "" && logo === initial.logo ? pathOf(logo) : null)}
        />
      </FormBox>
    </Section>
  );
}

/** Of an installation that sets none. */
const INSTALLATION_COLOR = "#0b6479";

/** Only what has changed; an empty field restores the installation's setting. */
function changeOf(before: Values, values: Values): Parameters<typeof slipway.organization.updateBranding>[0] {
  const orNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());
  return {
    ...(values.name === before.name ? {} : { name: orNull(values.name) }),
    ...(values.accentColor === before.accentColor ? {} : { accentColor: orNull(values.accentColor) }),
    ...(values.logo === before.logo ? {} : { logo: orNull(values.logo) }),
  };
}

/** The policy of the console permits images only of its own origin. */
function pathOf(url: NonNullable<Branding["logo"]>["url"]): string {
  return new URL(url).pathname;
}
