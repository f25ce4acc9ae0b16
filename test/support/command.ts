/** Runs a command of the product in its own process, as an operator does. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const RUN = join(import.meta.dirname, '..', '..', 'server', 'run.mjs')

export interface Ended {
  readonly status: number | null
  readonly out: string
  readonly err: string
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Returns the input to type after the output so far; null: nothing yet. */
  readonly answer?: (said: string) => string | null
}

export function runCommand(argv: readonly string[], { env, answer }: CommandOptions = {}): Promise<Ended> {
  const child = spawn(process.execPath, [RUN, ...argv], { env: { ...process.env, ...env } })
  let out = ''
  let err = ''
  let read = 0
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')))
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString('utf8')
    const typed = answer?.(err.slice(read)) ?? null
    if (typed === null) return
    read = err.length
    child.stdin.write(`${typed}\n`)
  })
  if (!answer) child.stdin.end()
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve({ status, out, err }))
  })
}
