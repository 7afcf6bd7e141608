/** One step of a JSON Pointer (RFC 6901, section 4), the format of `Fault.path`. */
export function escapePointer(segment: string): string {
  return segment.replaceAll("~", "~0").replaceAll("/", "~1");
}
