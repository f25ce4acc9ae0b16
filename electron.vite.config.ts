/**
 * How main/, its preload and the screens are built. `npm start` builds the screens alone, from the same settings
 * (server/launch/renderer.ts); `npx electron-vite build` builds all three and needs no Electron binary.
 */
import { join } from 'node:path'
import type { UserConfig } from 'electron-vite'

const ROOT = import.meta.dirname
/** Every page is served from its own folder (`/kiosk/`), so all that it loads lies beside it. */
const PAGE = 'kiosk'

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
    build: {
      outDir: join(ROOT, 'out/renderer'),
      emptyOutDir: true,
      target: 'chrome120', // Debian 12's Chromium is newer, Electron 45 far newer
      assetsInlineLimit: 0, // the page's policy allows no data: addresses
      modulePreload: { polyfill: false },
      rollupOptions: {
        input: { [PAGE]: join(ROOT, 'renderer', PAGE, 'index.html') },
        output: {
          entryFileNames: `${PAGE}/assets/[name]-[hash].js`,
          chunkFileNames: `${PAGE}/assets/[name]-[hash].js`,
          assetFileNames: `${PAGE}/assets/[name]-[hash][extname]`,
        },
      },
    },
  },
} satisfies UserConfig

export default config
