/** Downloads a file of the central service in pieces: of a trust bundle, or a release. */
import { FILE_PIECE_BYTES } from '../protocol/wire.ts'

/**
 * Yields the pieces from `offset` on. Ends early at a piece of another length, which was cut on the way: the rest is not
 * requested, so that the number of requests is bounded. Nothing is verified.
 */
export async function* fetchPieces(
  request: (offset: number) => Promise<Buffer | null>,
  offset: number,
  bytes: number,
): AsyncGenerator<Buffer> {
  for (let at = offset; at < bytes;) {
    const piece = await request(at)
    if (piece?.length !== Math.min(FILE_PIECE_BYTES, bytes - at)) return
    at += piece.length
    yield piece
  }
}
