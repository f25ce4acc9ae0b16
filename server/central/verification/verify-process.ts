/**
 * A separate process (verifier.ts): verifies untrusted archives from its standard input with keys that the
 * caller trusts, one after the other. It has no other work, so it reads and writes synchronously.
 */
import { readSync, writeSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import type { JWK } from 'jose'
import { extractArchive } from '../../proof/multipart.ts'
import { verifyProof, type KeySource } from '../../proof/verify.ts'
import { decodeJson } from '../json.ts'
import { LENGTHS_BYTES, readLengths, type TaskHead, type VerificationAnswer } from './task.ts'

/** It yields the processor to the service and to the database. */
const NICER_BY = 5
const NICEST = 19
const STDIN = 0
const STDOUT = 1

async function verify(head: TaskHead, file: Buffer): Promise<VerificationAnswer> {
  const given = readKeyText(head.keyText, head.keys ?? [])
  if (given === null) return 'malformed_keys'
  const archive = head.mayBeWrapped ? (extractArchive(file) ?? file) : file
  const { caPem, tsaCaPem, revoked = {} } = head
  return verifyProof(archive, {
    ...given,
    ...(caPem === undefined ? {} : { caPem }),
    ...(tsaCaPem === undefined ? {} : { tsaCaPem }),
    revoked: Object.fromEntries(Object.entries(revoked).map(([kid, since]) => [kid, new Date(since)])),
  })
}

/** Null if the text begins like JSON and is invalid. */
function readKeyText(
  text: string | undefined,
  known: readonly JWK[],
): Pick<KeySource, 'pem' | 'jwks'> | null {
  const knownKeys = known.length > 0 ? { jwks: { keys: known } } : {}
  if (text === undefined) return knownKeys
  if (!text.trimStart().startsWith('{')) return { pem: text, ...knownKeys }
  let json: unknown
  try {
    json = decodeJson(Buffer.from(text, 'utf8'))
  } catch {
    return null
  }
  const listed = typeof json === 'object' && json !== null && 'keys' in json ? json.keys : [json]
  return { jwks: { keys: [...(Array.isArray(listed) ? (listed as unknown[]) : []), ...known] } }
}

/** Null if the service has closed the pipe. */
function readBytes(length: number): Buffer | null {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length;) {
    const read = readSync(STDIN, bytes, at, length - at, null)
    if (read === 0) return null
    at += read
  }
  return bytes
}

function writeLine(line: string): void {
  const bytes = Buffer.from(`${line}\n`)
  for (let at = 0; at < bytes.length;) at += writeSync(STDOUT, bytes, at)
}

async function main(): Promise<void> {
  setPriority(Math.min(getPriority() + NICER_BY, NICEST))
  // Ctrl-C or systemd's stop reaches the service as well, which closes the pipe when it is done.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  writeLine(JSON.stringify('ready'))
  for (;;) {
    const lengths = readBytes(LENGTHS_BYTES)
    if (lengths === null) break
    const { headBytes, fileBytes } = readLengths(lengths)
    const head = readBytes(headBytes)
    const file = readBytes(fileBytes)
    if (head === null || file === null) break
    writeLine(JSON.stringify(await verify(JSON.parse(head.toString('utf8')) as TaskHead, file)))
  }
  process.exit(0)
}

await main()
