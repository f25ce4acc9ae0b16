/** A dialogue with the person at the terminal, or with a script that answers line by line. */
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { KeyRefused } from '../keys/refused.ts'

/** The input ended before the question was answered. */
export class NoAnswer extends KeyRefused {
  constructor() {
    super('No answer came. Nothing was changed.')
  }
}

export interface Terminal {
  say(line: string): void
  /** Throws NoAnswer. */
  ask(question: string): Promise<string>
  close(): void
}

/** Questions go to standard error: standard output is for the result. */
export function openTerminal(input: Readable = process.stdin, output: Writable = process.stderr): Terminal {
  const reader = createInterface({ input })
  // Lines that arrive before their question are kept.
  const lines = reader[Symbol.asyncIterator]()
  return {
    say: (line) => void output.write(`${line}\n`),
    ask: async (question) => {
      output.write(`${question} `)
      const answer = await lines.next()
      if (answer.done === true) throw new NoAnswer()
      return answer.value.trim()
    },
    close: () => reader.close(),
  }
}
