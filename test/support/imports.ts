/** Reads the import statements of TypeScript sources and compares them with a table. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import ts from 'typescript'

export interface Import {
  /** Repository path of the importing file. */
  readonly from: string
  /** Repository path of the imported file, or the name of the package. */
  readonly to: string
  readonly isPackage: boolean
  /** As written. */
  readonly specifier: string
  /** Only types: erased at run time. */
  readonly typeOnly: boolean
}

/**
 * Path prefix → what its files may import besides their own folder: path prefixes, `type:` before a prefix
 * for types only, `*` for anything. The longest matching prefix is the row of a file.
 */
export type ImportTable = Readonly<Record<string, readonly string[]>>

const SKIPPED = new Set(['node_modules', 'out', 'coverage'])

/** Repository paths of all TypeScript sources below these folders. */
export function findSources(root: string, folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.(ts|tsx|mts|mjs)$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((path) => !path.split('/').some((part) => SKIPPED.has(part))),
  )
}

export function readImports(root: string, path: string): Import[] {
  return parseImports(path, readFileSync(join(root, path), 'utf8'))
}

/** Static imports, `export … from`, `import()`, `require()` and type imports, all forms. */
export function parseImports(path: string, source: string): Import[] {
  const found: Import[] = []
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return
    const isPackage = !specifier.text.startsWith('.')
    const to = isPackage ? packageName(specifier.text) : normalize(join(dirname(path), specifier.text))
    found.push({ from: path, to, specifier: specifier.text, isPackage, typeOnly })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, importsTypesOnly(node))
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, exportsTypesOnly(node))
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal, true)
    else if (ts.isCallExpression(node) && isLoadCall(node.expression)) add(node.arguments[0], false)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true))
  return found
}

/** One sentence per import that the table does not allow, and per file without a row. */
export function findBackEdges(imports: readonly Import[], table: ImportTable): string[] {
  return imports.flatMap((edge) => {
    const row = rowOf(edge.from, table)
    if (row === undefined) return [`${edge.from} lies in no folder of the import table.`]
    if (edge.isPackage) return []
    const home = rowOf(edge.to, table)
    const allowed = [row, ...(table[row] ?? [])]
    const isAllowed = allowed.some((entry) => {
      if (entry === '*') return true
      if (entry.startsWith('type:')) return edge.typeOnly && isBelow(edge.to, entry.slice('type:'.length))
      // A separate row inside an allowed folder (the contract in the API) goes with the folder that names it.
      return isBelow(edge.to, entry) && (entry !== row || home === row)
    })
    if (isAllowed) return []
    const what = edge.typeOnly ? 'a type from ' : ''
    return [`${edge.from} imports ${what}${edge.to}, but ${row} may import only: ${list(table[row])}.`]
  })
}

/** One sentence per package imported outside the folders that own it. */
export function findStrayPackages(imports: readonly Import[], owners: ImportTable): string[] {
  return imports.flatMap(({ from, to, isPackage, typeOnly }) => {
    const folders = owners[to]
    if (!isPackage || typeOnly || !folders || folders.some((folder) => isBelow(from, folder))) return []
    return [`${from} imports the package ${to}, which only ${list(folders)} may use.`]
  })
}

function rowOf(path: string, table: ImportTable): string | undefined {
  return Object.keys(table)
    .filter((prefix) => isBelow(path, prefix))
    .sort((a, b) => b.length - a.length)[0]
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`)
}

function list(entries: readonly string[] | undefined): string {
  return entries && entries.length > 0 ? entries.join(', ') : 'nothing'
}

function packageName(specifier: string): string {
  const parts = specifier.split('/')
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier)
}

function importsTypesOnly({ importClause }: ts.ImportDeclaration): boolean {
  if (!importClause) return false // imported for its effects
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const { name, namedBindings } = importClause
  if (name || !namedBindings || !ts.isNamedImports(namedBindings)) return false
  return namedBindings.elements.length > 0 && namedBindings.elements.every((element) => element.isTypeOnly)
}

function exportsTypesOnly({ isTypeOnly, exportClause }: ts.ExportDeclaration): boolean {
  if (isTypeOnly) return true
  if (!exportClause || !ts.isNamedExports(exportClause) || exportClause.elements.length === 0) return false
  return exportClause.elements.every((element) => element.isTypeOnly)
}

function isLoadCall(callee: ts.Expression): boolean {
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require')
}
