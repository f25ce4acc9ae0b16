/**
 * The types that the file choosers offer. The appliance recognises a file by its bytes; this list only helps
 * to find one.
 */

export const PICTURE_FILES = 'image/jpeg,image/png,image/webp'
/**
 * A document may also be a scan or a phone's photo. Some systems know these types only by their extensions.
 */
export const DOCUMENT_FILES = `${PICTURE_FILES},image/heic,image/heif,image/tiff,application/pdf,.heic,.heif,.tif,.tiff,.pdf`

/** True for a file that the browser cannot show but the appliance can open. */
export function isOpenedByAppliance({
  type,
  name,
}: {
  readonly type: string
  readonly name?: string
}): boolean {
  if (type === '') return /\.(heic|heif|tiff?|pdf)$/i.test(name ?? '')
  return /^(application\/pdf|image\/(heic|heif|tiff))$/.test(type)
}
