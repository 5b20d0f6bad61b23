/** The yardstick of reading a list: every page once, one after the other, and nothing done with them. */
const [baseUrl = '', apiKey = '', pages = '0'] = process.argv.slice(2);
for (let page = 1; page <= Number(pages); page += 1)
  await (await fetch(`${baseUrl}/v1/user?page=${page}`, { headers: { 'x-api-key': apiKey } })).text();
