/**
 * Opens a server on a socket in the file system. The folder of the socket decides who may connect: only its owner, or the group
 * of a folder with the set-group-id bit.
 */
import { chmodSync, rmSync, statSync } from 'node:fs'
import type { Server } from 'node:net'
import { dirname } from 'node:path'
import { AppError } from '../errors.ts'

/** Limit of sun_path: a longer path cannot be bound. */
const MAX_PATH = 107
const SET_GROUP_ID = 0o2000

/** @param field the option that names the path. Throws `configuration_invalid` for a path that is unsuitable for a socket. */
export async function listenOnSocket(server: Server, path: string, field: string): Promise<void> {
  const folder = statSync(dirname(path), { throwIfNoEntry: false })
  const present = statSync(path, { throwIfNoEntry: false })
  if (!folder?.isDirectory() || path.length > MAX_PATH || (present && !present.isSocket()))
    throw new AppError('configuration_invalid', {
      field,
      reason: `needs a folder that is there, no other file of this name, and at most ${MAX_PATH} characters`,
    })
  // A killed server leaves its socket behind.
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  chmodSync(path, (folder.mode & SET_GROUP_ID) === 0 ? 0o600 : 0o660)
}
