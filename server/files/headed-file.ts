/** Reads a file that begins with one line in clear, such as a backup: the line, and what follows it. */
import { openGivenFile } from './read-file.ts'

const MAX_LINE_LENGTH = 1_000
/** Unlimited, because it is read as a stream. */
const ANY_SIZE = { mostBytes: Infinity }

/** The first line without its end; of a longer line its first 1 000 bytes. Throws `file_refused` for a link, a pipe or the like. */
export async function readFirstLine(path: string): Promise<string> {
  const { handle } = await openGivenFile(path, ANY_SIZE)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_LINE_LENGTH), 0, MAX_LINE_LENGTH, 0)
    return buffer.subarray(0, bytesRead).toString('utf8').split('\n', 1)[0] ?? ''
  } finally {
    await handle.close()
  }
}

/** Bytes after this first line. Opened on first read, so that a caller who refuses the line need not close anything. */
export async function* readAfterLine(path: string, line: string): AsyncGenerator<Uint8Array> {
  const { handle } = await openGivenFile(path, ANY_SIZE)
  yield* handle.createReadStream({ start: Buffer.byteLength(line) + 1 }) as AsyncIterable<Uint8Array>
}
