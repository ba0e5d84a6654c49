/** The place of the patch-dialog. */
export function PatchDialog() {
  return null;
}
