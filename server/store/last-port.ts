/** The port on which the server of a data folder listens or last listened, because only that process knows `--port`. */
import { join } from 'node:path'
import { readOwnFile } from '../files/own-files.ts'
import { IN_OUR_FOLDER, writeFileWhole } from '../files/write-file.ts'

const pathIn = (dataDir: string): string => join(dataDir, 'last-port')

/** If writing fails, the start continues, and readers use the configured port. */
export function notePort(dataDir: string, port: number): void {
  try {
    writeFileWhole(pathIn(dataDir), `${port}\n`, IN_OUR_FOLDER)
  } catch {
    // The health report covers storage faults.
  }
}

/** Null if no server has listened yet. */
export function findLastPort(dataDir: string): number | null {
  try {
    const port = Number(readOwnFile(pathIn(dataDir), 'settings').toString('utf8'))
    return Number.isInteger(port) && port > 0 ? port : null
  } catch {
    return null
  }
}
