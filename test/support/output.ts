/** Collects the output of a command instead of showing it, until `vi.restoreAllMocks`. */
import { vi } from 'vitest'

export function collectOutput(): { text: string } {
  const output = { text: '' }
  const collect = (chunk: unknown): boolean => {
    output.text += String(chunk)
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(collect)
  vi.spyOn(process.stderr, 'write').mockImplementation(collect)
  return output
}
