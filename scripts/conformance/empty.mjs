// Stands for Deno's reader of `.env` files: the suite's settings come from the environment here.
export {}
