/**
 * Creates an npm package from sources of this repository: compiled JavaScript with types, a manifest, a
 * tarball. Downloads nothing.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import type TypeScript from 'typescript'
import { replacePublicFolder } from '../files/public-folder.ts'
import { IN_OUR_FOLDER, writeFileWhole } from '../files/write-file.ts'
import { PRODUCT_VERSION } from '../version.ts'

export const ROOT = join(import.meta.dirname, '..', '..')

interface NpmPackage {
  readonly name: string
  /** Sources to compile, with all their imports; relative to the repository. */
  readonly entries: readonly string[]
  /** The paths in `dist` are relative to this folder; itself relative to the repository. */
  readonly rootDir: string
  /** Generates sources that are not in the repository: path relative to it → text. */
  readonly generate?: () => Promise<Readonly<Record<string, string>>>
  /** All other files, including the manifest: path → text. */
  readonly files: Readonly<Record<string, string>>
  /** Bundled npm packages, so that the package installs without a registry. */
  readonly bundled?: readonly string[]
}

interface PackCommand {
  /** `npm run NAME -- pack`. */
  readonly command: string
  /** Name of the package. */
  readonly name: string
  readonly usage: string
  /** Null, or one sentence why there is no package. */
  readonly make: (out: string) => Promise<string | null>
}

const DONE = 0
const FAILED = 1
const USAGE_PROBLEM = 2

export async function runPackCommand(
  { command, name, usage, make }: PackCommand,
  argv: string[],
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { out: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  const [verb, ...more] = positionals
  if (values.help) {
    process.stdout.write(usage)
    return DONE
  }
  if (verb !== 'pack' || more.length > 0) {
    process.stderr.write(usage)
    return USAGE_PROBLEM
  }
  const out = values.out ?? join(ROOT, 'out', name)
  const failure = await make(out)
  if (failure !== null) {
    process.stderr.write(`${command}: ${failure}\n`)
    return FAILED
  }
  process.stdout.write(`${name} ${PRODUCT_VERSION} is in ${out}\n`)
  return DONE
}

/** Creates the package as a folder with its tarball. Null, or one sentence why there is none. */
export async function makeNpmPackage(plan: NpmPackage, out: string): Promise<string | null> {
  if (!mayReplace(plan.name, out)) return `${out} holds something else than the package; it was left alone.`
  let ts: typeof TypeScript
  let generated: Readonly<Record<string, string>>
  try {
    ts = (await import('typescript')).default
    generated = (await plan.generate?.()) ?? {}
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    return "The TypeScript compiler is not installed. Run 'npm ci' with the development packages."
  }
  try {
    await replacePublicFolder(out, async (fresh) => {
      compile(ts, plan, generated, join(fresh, 'dist'))
      const bundled = Object.fromEntries((plan.bundled ?? []).flatMap((name) => bundledFiles(name)))
      for (const [path, content] of Object.entries({ ...plan.files, ...bundled })) {
        mkdirSync(join(fresh, dirname(path)), { recursive: true })
        writeFileWhole(join(fresh, path), content, IN_OUR_FOLDER)
      }
      writeFileWhole(join(fresh, tarballName(plan.name)), await makeTarball(fresh), IN_OUR_FOLDER)
    })
    return null
  } catch (error) {
    if (error instanceof CompileError) return error.message
    throw error
  }
}

/** The name that `npm pack` gives it. */
export function tarballName(name: string): string {
  return `${name}-${PRODUCT_VERSION}.tgz`
}

/** Exact version of one of our dependencies. */
export function readVersion(dependency: string): string {
  return (JSON.parse(readFileSync(join(moduleFolder(dependency), 'package.json'), 'utf8')) as Manifest)
    .version
}

/** The compiler's first message. */
class CompileError extends Error {}

function mayReplace(name: string, out: string): boolean {
  if (!existsSync(out) || readdirSync(out).length === 0) return true
  try {
    const present = JSON.parse(readFileSync(join(out, 'package.json'), 'utf8')) as { name?: unknown }
    return present.name === name
  } catch {
    return false
  }
}

/** Throws CompileError. */
function compile(
  ts: typeof TypeScript,
  plan: NpmPackage,
  generated: Readonly<Record<string, string>>,
  outDir: string,
): void {
  const options: TypeScript.CompilerOptions = {
    target: ts.ScriptTarget.ES2023, // Node 20
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    rewriteRelativeImportExtensions: true,
    strict: true,
    skipLibCheck: true,
    declaration: true,
    noEmitOnError: true,
    rootDir: join(ROOT, plan.rootDir),
    outDir,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules', '@types')],
  }
  const program = ts.createProgram({
    rootNames: plan.entries.map((entry) => join(ROOT, entry)),
    options,
    host: hostWith(ts, ts.createCompilerHost(options), generated),
  })
  const { diagnostics, emitSkipped } = program.emit(undefined, (path, text) => {
    // The compiler rewrites the imports of JavaScript, but not those of declarations.
    const imports = path.endsWith('.d.ts')
      ? text.replaceAll(/(from|import\()( ?['"]\.[^'"]+)\.ts(['"])/g, '$1$2.js$3')
      : text
    ts.sys.writeFile(path, imports)
  })
  const [first] = [...ts.getPreEmitDiagnostics(program), ...diagnostics]
  if (!emitSkipped && first === undefined) return
  const what = first ? ts.flattenDiagnosticMessageText(first.messageText, ' ') : 'nothing was written'
  throw new CompileError(`${plan.name} does not compile: ${first?.file?.fileName ?? ''} ${what}`)
}

/** A compiler host that finds the generated sources at their paths in the repository. */
function hostWith(
  ts: typeof TypeScript,
  host: TypeScript.CompilerHost,
  generated: Readonly<Record<string, string>>,
): TypeScript.CompilerHost {
  const texts = new Map(Object.entries(generated).map(([path, text]) => [join(ROOT, path), text]))
  return {
    ...host,
    fileExists: (path) => texts.has(path) || host.fileExists(path),
    readFile: (path) => texts.get(path) ?? host.readFile(path),
    getSourceFile: (path, ...more) => {
      const text = texts.get(path)
      return text === undefined ? host.getSourceFile(path, ...more) : ts.createSourceFile(path, text, more[0])
    },
  }
}

interface Manifest {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

function moduleFolder(name: string): string {
  return join(ROOT, 'node_modules', name)
}

/** The package and its dependencies, as path in our package → bytes. All are flat in our node_modules. */
function bundledFiles(name: string): [string, Buffer][] {
  const folder = moduleFolder(name)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.map'))
    .map((entry) => join(entry.parentPath, entry.name))
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  return [
    ...files.map((path): [string, Buffer] => [path.slice(ROOT.length + 1), readFileSync(path)]),
    ...Object.keys(dependencies).flatMap(bundledFiles),
  ]
}

/** npm's format: everything below `package/`. The same files give the same bytes. */
async function makeTarball(folder: string): Promise<Buffer> {
  const tar = pack()
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  for (const path of paths.sort()) {
    const mode = path.startsWith(join(folder, 'bin')) ? 0o755 : 0o644
    tar.entry({ name: `package${path.slice(folder.length)}`, mode, mtime: new Date(0) }, readFileSync(path))
  }
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  return gzipSync(Buffer.concat(chunks))
}
