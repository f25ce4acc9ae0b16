/* global SwaggerUIBundle */
SwaggerUIBundle({
  url: '../openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  // The default asks a service on the internet whether the description is valid.
  validatorUrl: null,
})
