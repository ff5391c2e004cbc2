import datetime
import random

from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route


async def home(request):
    now = datetime.datetime.now(datetime.timezone.utc)
    return JSONResponse({"hello": "world", "utcnow": now.isoformat(), "random": random.random()})


app = Starlette(debug=True, routes=[Route("/", home)])
