/** One step of a JSON Pointer (RFC 6901, section 4), which `Fault.path` is. */
export function escapePointer(segment: string): string {
  return segment.replaceAll("~", "~0").replaceAll("/", "~1");
}
