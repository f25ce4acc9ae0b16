/**
 * Follows a document like a reader: runs its code blocks in order in one shell. `sh` blocks run, `json` and
 * `text` blocks are the expected output of the block before them, and blocks whose first line is a comment
 * with a file name are files to save.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Block {
  readonly language: string
  readonly text: string
  /** Line of the fence, counted from 1. */
  readonly line: number
}

export interface Section {
  readonly title: string
  readonly blocks: readonly Block[]
}

/** The sections of second rank (`##`), with their blocks. */
export function readSections(markdown: string): readonly Section[] {
  const sections: { title: string; blocks: Block[] }[] = []
  let open: { language: string; lines: string[]; line: number } | null = null
  for (const [index, line] of markdown.split('\n').entries()) {
    if (open) {
      if (line !== '```') open.lines.push(line)
      else {
        const { language, lines, line: opened } = open
        sections.at(-1)?.blocks.push({ language, text: `${lines.join('\n')}\n`, line: opened })
        open = null
      }
    } else if (line.startsWith('```')) open = { language: line.slice(3), lines: [], line: index + 1 }
    else if (line.startsWith('## ')) sections.push({ title: line.slice(3), blocks: [] })
  }
  return sections
}

/** Returns the name in the comment on the first line of a file; null for a block that is no file. */
export function fileNameOf({ text }: Block): string | null {
  return /^(?:\/\/|#|<!--) ([\w-]+\.(?:mts|mjs|py|html))(?: -->)?\n/.exec(text)?.[1] ?? null
}

export interface WalkOptions {
  /** The reader's working directory. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folder in which the reader saves files and the walk stores the output of the blocks. */
  readonly filesDir: string
  readonly scratchDir: string
  /** Texts that this machine needs to replace, such as occupied ports. */
  readonly replace: ReadonlyMap<string, string>
}

export interface Walk {
  /** Throws at the first block that fails, or whose output differs from the document. */
  follow(section: Section): Promise<void>
  /** Ends the shell with all its processes. */
  close(): void
}

export function startWalk({ cwd, env, filesDir, scratchDir, replace }: WalkOptions): Walk {
  // A separate process group, because the shell starts an appliance and other servers.
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd,
    env: { ...env },
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const answers = createInterface({ input: shell.stdout })[Symbol.asyncIterator]()
  shell.stdin.write('set -euo pipefail\n')
  let count = 0
  let failure: Error | null = null

  const adapt = (text: string): string =>
    [...replace].reduce((adapted, [from, to]) => adapted.replaceAll(from, to), text)

  async function runShell({ text, line }: Block): Promise<string> {
    if (failure) throw new Error('a block before failed, and the shell ended with it', { cause: failure })
    const name = join(scratchDir, `block-${++count}`)
    const printed = (what: 'out' | 'err'): string => readFileSync(`${name}.${what}`, 'utf8')
    writeFileSync(`${name}.sh`, adapt(text))
    shell.stdin.write(`. ${name}.sh </dev/null >${name}.out 2>${name}.err\necho done\n`)
    if ((await answers.next()).value !== 'done') {
      failure = new Error(`the block at line ${line} failed: ${printed('out')}\n${printed('err')}`)
      throw failure
    }
    return printed('out')
  }

  return {
    follow: async ({ blocks }) => {
      let printed = ''
      for (const block of blocks) {
        const file = fileNameOf(block)
        if (file !== null) {
          mkdirSync(dirname(join(filesDir, file)), { recursive: true })
          writeFileSync(join(filesDir, file), adapt(block.text))
        } else if (block.language === 'sh') printed = await runShell(block)
        else if (block.language === 'json' || block.language === 'text') {
          const difference = findDifference(printed, adapt(block.text), block.language)
          if (difference !== null)
            throw new Error(`line ${block.line} shows another answer (${difference}); it was: ${printed}`)
        }
      }
    },
    close: () => {
      try {
        process.kill(-(shell.pid ?? 0), 'SIGTERM')
      } catch {
        // It has ended by itself.
      }
    },
  }
}

/** Null if the output has the shown form; otherwise the difference. */
export function findDifference(printed: string, shown: string, language: 'json' | 'text'): string | null {
  if (language === 'text')
    return fits(printed.trim(), shown.trim()) ? null : `expected ${JSON.stringify(shown)}`
  const [is, expected] = [splitDocuments(printed), splitDocuments(shown)]
  if (is.length !== expected.length) return `${expected.length} JSON documents, not ${is.length}`
  return expected.reduce<string | null>(
    (found, one, index) => found ?? differ(is[index], one, `$${index}`),
    null,
  )
}

/** Documents begin and end with a line. */
function splitDocuments(text: string): readonly unknown[] {
  const documents: unknown[] = []
  let open = ''
  for (const line of text.split('\n')) {
    open += `${line}\n`
    if (line.trim() === '') continue
    try {
      documents.push(JSON.parse(open))
      open = ''
    } catch {
      // It continues in the next line.
    }
  }
  if (open.trim() !== '') throw new Error(`this is no JSON: ${open}`)
  return documents
}

/** Values that differ in each run: the shown one represents its form. */
const FORMS: readonly RegExp[] = [
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, // ids
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?$/, // times
]
/** A member of this name means that further members are not shown. */
const MORE = '…'

function differ(is: unknown, shown: unknown, at: string): string | null {
  if (typeof shown === 'string') return typeof is === 'string' && fits(is, shown) ? null : at
  if (typeof shown !== 'object' || shown === null) return is === shown ? null : at
  if (typeof is !== 'object' || is === null || Array.isArray(is) !== Array.isArray(shown)) return at
  const [has, wanted] = [Object.keys(is), Object.keys(shown)]
  const isOpen = wanted.includes(MORE)
  const stray = has.find((key) => !wanted.includes(key))
  if (stray !== undefined && !isOpen) return `${at}.${stray} is not shown`
  for (const key of wanted.filter((name) => name !== MORE)) {
    if (!has.includes(key)) return `${at}.${key} is not there`
    const found = differ(
      (is as Record<string, unknown>)[key],
      (shown as Record<string, unknown>)[key],
      `${at}.${key}`,
    )
    if (found !== null) return found
  }
  return null
}

/** `…` matches any text within a line. */
function fits(is: string, shown: string): boolean {
  if (FORMS.some((form) => form.test(shown) && form.test(is))) return true
  const pattern = shown.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pattern.join('.*')}$`).test(is)
}
