/**
 * Words of common passwords, longest first: combined, or with digits and signs around them, they are the
 * passwords that attackers try first. A short list of our own, because one of millions could not be kept up
 * to date without a network.
 */
const WORDS =
  'password passwort passw0rd motdepasse contrasena contraseña kennwort secret geheim letmein welcome willkommen ' +
  'bienvenue bienvenido administrator admin administrateur root superuser user usuario login master monkey dragon ' +
  'sunshine princess football baseball basketball superman batman starwars iloveyou trustno whatever shadow michael ' +
  'jennifer jordan thomas charlie hunter killer freedom computer internet qwertyuiop qwertzuiop azertyuiop qwerty ' +
  'qwertz azerty asdfghjkl asdfgh asdf zxcvbnm yxcvbnm qazwsx abcdefgh abcdef abcd abc changeme change default guest ' +
  'test testing temporary summer winter spring autumn sommer herbst frühling fruehling january february march april ' +
  'august september october november december monday friday counterproof counter kiosk officer supervisor auditor ' +
  'company branch bank office passport identity proof correct horse battery staple security hello hallo bonjour hola ' +
  'love liebe amour amor my the mein please'

export const COMMON_WORDS: readonly string[] = WORDS.split(' ').sort((a, b) => b.length - a.length)
