import { Type } from "typebox";
import { Nullable, Text, Words } from "../../http/schemas.ts";
import { appearanceOf, type Brand, type Branding, LOGO_TYPES, logoFileOf } from "./brand.ts";
import { decideColors } from "../../lib/accent-colors.ts";

const HASH = "9f2c".repeat(16);
const LOGO = `https://slipway.acme.example/share/logo/${HASH}.png`;

export const BrandingSchema = Type.Object(
  {
    name: Nullable(
      Text("The name at the top of the pages; null: the installation's name is shown.", "Acme Sites"),
    ),
    accentColor: Nullable(
      Text("The colour of the top, the buttons and the links; null: the installation's.", "#0a5c36"),
    ),
    logo: Nullable(
      Type.Object(
        {
          url: Text("Its public address. A new logo has another address.", LOGO),
          contentType: Words(LOGO_TYPES, {
            title: "LogoType",
            description: "What its bytes are.",
            examples: ["image/png"],
          }),
          width: Type.Integer({ description: "In pixels.", examples: [240] }),
          height: Type.Integer({ description: "In pixels.", examples: [60] }),
        },
        { title: "Logo", description: "The organization's own logo; null: it has none." },
      ),
    ),
    appearance: Type.Object(
      {
        name: Text("The name that the pages show.", "Acme Sites"),
        accentColor: Text("The colour that they show.", "#0a5c36"),
        textColor: Text("The colour of text on it, white or black, for enough contrast.", "#ffffff"),
        linkColorLight: Text("The colour of links in the light theme.", "#0a5c36"),
        linkColorDark: Text("The colour of links in the dark theme.", "#4d8b6c"),
        logoUrl: Nullable(Text("The address of the logo; null: none is shown.", LOGO)),
      },
      {
        title: "ShareAppearance",
        description:
          "How the pages look, with the installation's settings for what the organization did not set.",
      },
    ),
  },
  { title: "Branding", description: "The name, colour and logo of the organization's share links." },
);

/** @param publicUrl the address of this installation */
export function viewBranding(brand: Brand, branding: Branding, publicUrl: string) {
  const { name, accentColor, logo } = branding;
  const shown = appearanceOf(brand, branding);
  const { accent, onAccent, linkLight, linkDark } = decideColors(shown.color);
  const own =
    logo === null
      ? null
      : {
          url: `${publicUrl}/share/logo/${logoFileOf(logo)}`,
          contentType: logo.type,
          width: logo.width,
          height: logo.height,
        };
  return {
    name,
    accentColor,
    logo: own,
    appearance: {
      name: shown.name,
      accentColor: accent,
      textColor: onAccent,
      linkColorLight: linkLight,
      linkColorDark: linkDark,
      logoUrl: own?.url ?? shown.logoUrl,
    },
  };
}
