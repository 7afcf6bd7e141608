import { declareFaults } from "../../lib/errors.ts";

export const BRANDING_FAULTS = declareFaults({
  NOT_AN_IMAGE:
    "Send the bytes of a PNG, JPEG or WebP image. SVG is refused, because it can contain scripts.",
  LOGO_TOO_LARGE: "Make the logo smaller: it may have 64 KiB, and 1,024 pixels on each side.",
  LOGO_ANIMATED: "Send an image with one frame.",
});
