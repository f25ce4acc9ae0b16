/** A storage that speaks as much of S3 as the central service uses. It checks no signature: it stands for no product. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, rmSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

export interface ObjectStorage {
  readonly endpoint: string
  close(): Promise<void>
}

/** @param folder an empty folder for the objects */
export async function startObjectStorage(folder: string): Promise<ObjectStorage> {
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const file = join(
      folder,
      createHash('sha256')
        .update(req.url ?? '')
        .digest('hex'),
    )
    if (req.method === 'PUT') {
      await pipeline(req, createWriteStream(file))
      res.end()
    } else if (req.method === 'DELETE') {
      rmSync(file, { force: true })
      res.writeHead(204).end()
    } else if (existsSync(file)) {
      res.writeHead(200, { 'content-length': statSync(file).size })
      await pipeline(createReadStream(file), res)
    } else res.writeHead(404).end()
  }
  const server = createServer((req, res) => {
    answer(req, res).catch(() => res.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
