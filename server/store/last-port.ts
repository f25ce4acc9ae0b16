/** The port that the server of a data folder listens on, or last listened on: `--port` is known to that process alone. */
import { join } from 'node:path'
import { readOwnFile } from '../files/own-files.ts'
import { IN_OUR_FOLDER, writeFileWhole } from '../files/write-file.ts'

const pathIn = (dataDir: string): string => join(dataDir, 'last-port')

/** A disk that takes no note stops no start: the port of the configuration is named then. */
export function notePort(dataDir: string, port: number): void {
  try {
    writeFileWhole(pathIn(dataDir), `${port}\n`, IN_OUR_FOLDER)
  } catch {
    // The storage reports its own trouble in the health report.
  }
}

/** Null: no server has listened yet. */
export function findLastPort(dataDir: string): number | null {
  try {
    const port = Number(readOwnFile(pathIn(dataDir), 'settings').toString('utf8'))
    return Number.isInteger(port) && port > 0 ? port : null
  } catch {
    return null
  }
}
