/** The page that a browser gets while the database does not answer: it needs no script, no file and no database. */
import type { IncomingMessage, ServerResponse } from 'node:http'

const AGAIN_SECONDS = 10
const TEXTS: readonly (readonly [language: string, text: string])[] = [
  [
    'en',
    'The service cannot reach its database. This page tries again by itself. If it stays, call the operator of the service.',
  ],
  [
    'fr',
    'Le service n’atteint pas sa base de données. Cette page réessaie d’elle-même. Si elle reste, appelez l’exploitant du service.',
  ],
  [
    'de',
    'Der Dienst erreicht seine Datenbank nicht. Diese Seite versucht es von selbst wieder. Bleibt sie stehen, rufen Sie den Betreiber des Dienstes an.',
  ],
  [
    'es',
    'El servicio no puede acceder a su base de datos. Esta página lo intenta de nuevo por sí sola. Si permanece, llame al operador del servicio.',
  ],
  [
    'ar',
    'لا تستطيع الخدمة الوصول إلى قاعدة بياناتها. تعيد هذه الصفحة المحاولة تلقائيًا. إذا بقيت، فاتصل بمشغّل الخدمة.',
  ],
]
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Counterproof</title>
<main>
${TEXTS.map(([language, text]) => `<p lang="${language}"${language === 'ar' ? ' dir="rtl"' : ''}>${text}</p>`).join('\n')}
</main>
</html>
`

/** True for a page that a person opens: programs and scripts of a page do not ask for HTML first. */
export function isPageCall({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && (headers.accept ?? '').startsWith('text/html')
}

export function sendUnavailablePage(res: ServerResponse): void {
  res
    .writeHead(503, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      'Cache-Control': 'no-store',
      'Retry-After': String(AGAIN_SECONDS),
      // A browser loads the page again by itself.
      Refresh: String(AGAIN_SECONDS),
      Connection: 'close',
    })
    .end(PAGE)
}
