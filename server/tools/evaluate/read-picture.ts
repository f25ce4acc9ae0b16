/** Reads a picture of a laboratory as the product reads an upload: also the first page of a TIFF, and HEIC. */
import { detectMediaType } from '../../proofing/media-type.ts'
import { decodeHeif } from '../../vision/heif.ts'
import { decodeImage } from '../../vision/image.ts'
import { rasteriseTiff } from '../../vision/tiff.ts'

/** Throws ImageFaultError. */
export async function readPicture(bytes: Uint8Array): ReturnType<typeof decodeImage> {
  switch (detectMediaType(bytes)) {
    case 'image/tiff':
      return decodeImage((await rasteriseTiff(bytes))[0])
    case 'image/heic':
      return decodeImage(await decodeHeif(bytes))
    default:
      return decodeImage(bytes)
  }
}
