/** Files that the file choosers offer. The appliance tells a file by its bytes; this only helps the person who looks for one. */

export const PICTURE_FILES = 'image/jpeg,image/png,image/webp'
/** A document may come as a scan or as a phone keeps photographs, too. Some systems know those types by their ending alone. */
export const DOCUMENT_FILES = `${PICTURE_FILES},image/heic,image/heif,image/tiff,application/pdf,.heic,.heif,.tif,.tiff,.pdf`

/** Of a file that the browser cannot show and the appliance opens itself. */
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
