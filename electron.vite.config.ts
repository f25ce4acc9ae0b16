/**
 * How main/, its preload and the screens are built. `npm start` builds the screens alone, from the same settings
 * (server/launch/renderer.ts); `npx electron-vite build` builds all three and needs no Electron binary.
 */
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { UserConfig } from 'electron-vite'
import { build, type Plugin } from 'vite'

const ROOT = import.meta.dirname
/** Each page has a folder of its own (`/kiosk/`); what they load lies in `/assets/`, shared. */
const PAGES = ['kiosk', 'counter', 'fleet']

const TARGET = 'chrome120' // Debian 12's Chromium is newer, Electron 45 far newer

/** A page's words without those of the other pages: of a language file that a section's file imports, that section alone. */
function oneSectionEach(): Plugin {
  const locales = join(ROOT, 'renderer/locales')
  return {
    name: 'one-section-each',
    apply: 'build',
    enforce: 'pre',
    resolveId(source, importer) {
      const tag = /^\.\/([\w-]+)\.json$/.exec(source)?.[1]
      if (!tag || !importer || dirname(importer) !== locales) return null
      return `\0words/${tag}-${basename(importer, '.ts')}`
    },
    load(id) {
      const [, tag, section] = /^\0words\/([\w-]+)-(\w+)$/.exec(id) ?? []
      if (!tag || !section) return null
      const path = join(locales, `${tag}.json`)
      this.addWatchFile(path)
      const words = (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>)[section] ?? {}
      return `export const ${section} = ${JSON.stringify(words)}\nexport default { ${section} }`
    },
  }
}

/**
 * The capture elements once more as one script and one style sheet of stable names, for pages that are not ours
 * (renderer/capture/README.md). A build of its own: an entry beside the pages would share chunks with them.
 */
export async function buildCaptureComponent(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: join(ROOT, 'renderer'),
    logLevel: 'silent',
    plugins: [oneSectionEach()],
    build: {
      outDir,
      emptyOutDir: true,
      target: TARGET,
      lib: {
        entry: join(ROOT, 'renderer/capture/component.ts'),
        formats: ['es'],
        fileName: () => 'counterproof-capture.js',
        cssFileName: 'counterproof-capture',
      },
      // All languages in the one script: a page of others allows and keeps one file.
      rollupOptions: { output: { codeSplitting: false } },
    },
  })
}

function captureComponent(): Plugin {
  let outDir = ''
  return {
    name: 'capture-component',
    apply: 'build',
    configResolved: (pages) => void (outDir = join(pages.build.outDir, 'capture')),
    closeBundle: () => buildCaptureComponent(outDir),
  }
}

/** The fonts' packages bring WOFF for browsers older than ours: never loaded, so not built. */
function withoutOldFonts(): Plugin {
  return {
    name: 'without-old-fonts',
    apply: 'build',
    generateBundle(_options, bundle) {
      for (const [name, part] of Object.entries(bundle)) {
        if (name.endsWith('.woff')) delete bundle[name]
        if (part.type === 'asset' && name.endsWith('.css'))
          part.source = part.source
            .toString()
            .replace(/,\s*url\([^)]*\.woff\)\s*format\(["']?woff["']?\)/g, '')
      }
    },
  }
}

/** Staff's prompt: built by itself, because what a sandboxed renderer loads is one file. */
export const adminPreload = {
  build: {
    outDir: join(ROOT, 'out/admin-preload'),
    lib: { entry: join(ROOT, 'main/admin-preload.ts'), formats: ['cjs'] },
    rollupOptions: { output: { entryFileNames: 'admin-preload.cjs' } },
  },
} satisfies UserConfig['preload']

const config = {
  main: {
    build: {
      outDir: join(ROOT, 'out/main'),
      lib: { entry: join(ROOT, 'main/index.ts'), formats: ['es'] },
      rollupOptions: { output: { entryFileNames: 'index.js' } },
    },
  },
  preload: {
    build: {
      outDir: join(ROOT, 'out/preload'),
      // A sandboxed renderer loads CommonJS alone, and "type": "module" makes that .cjs.
      lib: { entry: join(ROOT, 'main/preload.ts'), formats: ['cjs'] },
      rollupOptions: { output: { entryFileNames: 'preload.cjs' } },
    },
  },
  renderer: {
    root: join(ROOT, 'renderer'),
    base: './',
    plugins: [oneSectionEach(), captureComponent(), withoutOldFonts()],
    build: {
      outDir: join(ROOT, 'out/renderer'),
      emptyOutDir: true,
      target: TARGET,
      assetsInlineLimit: 0, // the page's policy allows no data: addresses
      modulePreload: { polyfill: false },
      rollupOptions: {
        input: Object.fromEntries(PAGES.map((page) => [page, join(ROOT, 'renderer', page, 'index.html')])),
      },
    },
  },
} satisfies UserConfig

export default config
