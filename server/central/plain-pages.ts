/** The pages that a browser gets while the service cannot answer it: they need no script, no file and no database. */
import type { IncomingMessage, ServerResponse } from 'node:http'

const AGAIN_SECONDS = 10
type Texts = readonly (readonly [language: string, text: string])[]
const NO_DATABASE: Texts = [
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
const TOO_MANY_CALLS: Texts = [
  [
    'en',
    'Too many calls or sign-ins came from your network address. This page tries again by itself. If it stays, call the operator of the service.',
  ],
  [
    'fr',
    'Trop d’appels ou de connexions sont venus de votre adresse réseau. Cette page réessaie d’elle-même. Si elle reste, appelez l’exploitant du service.',
  ],
  [
    'de',
    'Zu viele Aufrufe oder Anmeldungen kamen von Ihrer Netzwerkadresse. Diese Seite versucht es von selbst wieder. Bleibt sie stehen, rufen Sie den Betreiber des Dienstes an.',
  ],
  [
    'es',
    'Demasiadas llamadas o inicios de sesión llegaron desde su dirección de red. Esta página lo intenta de nuevo por sí sola. Si permanece, llame al operador del servicio.',
  ],
  [
    'ar',
    'وردت طلبات أو محاولات تسجيل دخول كثيرة جدًا من عنوان شبكتك. تعيد هذه الصفحة المحاولة تلقائيًا. إذا بقيت، فاتصل بمشغّل الخدمة.',
  ],
]

/** True for a page that a person opens: programs and scripts of a page do not ask for HTML first. */
export function isPageCall({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && (headers.accept ?? '').startsWith('text/html')
}

export function sendUnavailablePage(res: ServerResponse): void {
  sendPage(res, 503, NO_DATABASE, AGAIN_SECONDS)
}

/** @param againSeconds until the address may call again */
export function sendTooManyCallsPage(res: ServerResponse, againSeconds: number): void {
  sendPage(res, 429, TOO_MANY_CALLS, againSeconds)
}

function sendPage(res: ServerResponse, status: number, texts: Texts, againSeconds: number): void {
  res
    .writeHead(status, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      'Cache-Control': 'no-store',
      'Retry-After': String(againSeconds),
      // A browser loads the page again by itself.
      Refresh: String(againSeconds),
      Connection: 'close',
    })
    .end(buildPage(texts))
}

function buildPage(texts: Texts): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Counterproof</title>
<main>
${texts.map(([language, text]) => `<p lang="${language}"${language === 'ar' ? ' dir="rtl"' : ''}>${text}</p>`).join('\n')}
</main>
</html>
`
}
